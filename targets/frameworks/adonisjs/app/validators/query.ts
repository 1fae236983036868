import vine from "@vinejs/vine";

vine.convertEmptyStringsToNull = true;

export const queryValidator = vine.compile(
  vine.object({
    number: vine.number().withoutDecimals(),
    string: vine.string().minLength(5),
  }),
);
