/**
 * The examples of RFC 7541 Appendix C.2 to C.6: blocks in the order of one connection, what each means, and the dynamic
 * table after it, newest first.
 */

interface Example {
  readonly block: string;
  readonly fields: readonly string[];
  readonly table: readonly string[];
  readonly tableBytes: number;
}

interface Connection {
  readonly section: string;
  readonly maxTableBytes: number;
  readonly examples: readonly Example[];
}

const DEFAULT_BYTES = 4_096;

const AUTHORITY = ":authority: www.example.com";
const CACHE = "cache-control: no-cache";
const CUSTOM = "custom-key: custom-value";

/** C.3 and C.4 are the same requests. */
const FIRST_REQUEST = {
  fields: [":method: GET", ":scheme: http", ":path: /", AUTHORITY],
  table: [AUTHORITY],
  tableBytes: 57,
};
const SECOND_REQUEST = {
  fields: [":method: GET", ":scheme: http", ":path: /", AUTHORITY, CACHE],
  table: [CACHE, AUTHORITY],
  tableBytes: 110,
};
const THIRD_REQUEST = {
  fields: [":method: GET", ":scheme: https", ":path: /index.html", AUTHORITY, CUSTOM],
  table: [CUSTOM, CACHE, AUTHORITY],
  tableBytes: 164,
};

const PRIVATE = "cache-control: private";
const DATE_21 = "date: Mon, 21 Oct 2013 20:13:21 GMT";
const DATE_22 = "date: Mon, 21 Oct 2013 20:13:22 GMT";
const LOCATION = "location: https://www.example.com";
const GZIP = "content-encoding: gzip";
const COOKIE = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";

/** C.5 and C.6 are the same responses. */
const FIRST_RESPONSE = {
  fields: [":status: 302", PRIVATE, DATE_21, LOCATION],
  table: [LOCATION, DATE_21, PRIVATE, ":status: 302"],
  tableBytes: 222,
};
const SECOND_RESPONSE = {
  fields: [":status: 307", PRIVATE, DATE_21, LOCATION],
  table: [":status: 307", LOCATION, DATE_21, PRIVATE],
  tableBytes: 222,
};
const THIRD_RESPONSE = {
  fields: [":status: 200", PRIVATE, DATE_22, LOCATION, GZIP, COOKIE],
  table: [COOKIE, GZIP, DATE_22],
  tableBytes: 215,
};

const NO_TABLE = { table: [], tableBytes: 0 };

/** Each on a connection of its own. */
const SINGLE: readonly Connection[] = [
  {
    block: "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
    fields: ["custom-key: custom-header"],
    table: ["custom-key: custom-header"],
    tableBytes: 55,
  },
  {
    block: "040c 2f73 616d 706c 652f 7061 7468",
    fields: [":path: /sample/path"],
    ...NO_TABLE,
  },
  {
    block: "1008 7061 7373 776f 7264 0673 6563 7265 74",
    fields: ["password: secret"],
    ...NO_TABLE,
  },
  { block: "82", fields: [":method: GET"], ...NO_TABLE },
].map((example, at) => ({
  section: `C.2.${at + 1}`,
  maxTableBytes: DEFAULT_BYTES,
  examples: [example],
}));

export const VECTORS: readonly Connection[] = [
  ...SINGLE,
  {
    section: "C.3",
    maxTableBytes: DEFAULT_BYTES,
    examples: [
      { block: "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", ...FIRST_REQUEST },
      { block: "8286 84be 5808 6e6f 2d63 6163 6865", ...SECOND_REQUEST },
      {
        block: "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
        ...THIRD_REQUEST,
      },
    ],
  },
  {
    section: "C.4",
    maxTableBytes: DEFAULT_BYTES,
    examples: [
      { block: "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff", ...FIRST_REQUEST },
      { block: "8286 84be 5886 a8eb 1064 9cbf", ...SECOND_REQUEST },
      { block: "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf", ...THIRD_REQUEST },
    ],
  },
  {
    section: "C.5",
    maxTableBytes: 256,
    examples: [
      {
        block: `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
          2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70
          6c65 2e63 6f6d`,
        ...FIRST_RESPONSE,
      },
      { block: "4803 3330 37c1 c0bf", ...SECOND_RESPONSE },
      {
        block: `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d
          54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049
          5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e
          3d31`,
        ...THIRD_RESPONSE,
      },
    ],
  },
  {
    section: "C.6",
    maxTableBytes: 256,
    examples: [
      {
        block: `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
          2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`,
        ...FIRST_RESPONSE,
      },
      { block: "4883 640e ffc1 c0bf", ...SECOND_RESPONSE },
      {
        block: `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
          77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
          9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
        ...THIRD_RESPONSE,
      },
    ],
  },
];
