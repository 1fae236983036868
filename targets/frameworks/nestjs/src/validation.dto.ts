import { Transform } from "class-transformer";
import { IsInt, IsString, MinLength } from "class-validator";

export class ValidationDto {
  // An empty number is invalid, but Number("") would be 0.
  @Transform(({ value }) => value === "" ? undefined : Number(value))
  @IsInt()
  number: number;

  @IsString()
  @MinLength(5)
  string: string;
}
