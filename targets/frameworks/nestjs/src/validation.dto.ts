import { Transform } from "class-transformer";
import { IsInt, IsString, MinLength } from "class-validator";

export class ValidationDto {
  @Transform(({ value }) => value === "" ? undefined : Number(value)) // Number("") would be 0
  @IsInt()
  number: number;

  @IsString()
  @MinLength(5)
  string: string;
}
