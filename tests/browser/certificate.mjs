// Makes a self-signed certificate for this machine and one test.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** The DER tags of a certificate. */
const [BOOLEAN, INTEGER, BITS, OCTETS, OID, TEXT, TIME, SEQUENCE, SET] = [0x01, 0x02, 0x03, 0x04, 0x06, 0x0c, 0x17, 0x30, 0x31];
const ECDSA_WITH_SHA256 = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02];
const [COMMON_NAME, SUBJECT_ALT_NAME, BASIC_CONSTRAINTS] = [
  [0x55, 0x04, 0x03],
  [0x55, 0x1d, 0x11],
  [0x55, 0x1d, 0x13],
];

function der(tag, ...parts) {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

/** Returns a time as `YYMMDDHHMMSSZ`, `days` from now. */
const time = (days) => {
  const iso = new Date(Date.now() + days * 86_400_000).toISOString();
  return der(TIME, Buffer.from(`${iso.replace(/^..|\D|\d{3}Z$/g, "")}Z`));
};

/** Returns `{ key, cert }` as PEM, self-signed, for `127.0.0.1`. */
export function certificate() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(SEQUENCE, der(OID, ECDSA_WITH_SHA256));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OID, COMMON_NAME), der(TEXT, Buffer.from("a test of tuckbox")))));
  const extension = (oid, value) => der(SEQUENCE, der(OID, oid), der(OCTETS, value));
  const extensions = der(
    SEQUENCE,
    extension(SUBJECT_ALT_NAME, der(SEQUENCE, der(0x87, [127, 0, 0, 1]))),
    extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, [255]))),
  );
  const serial = der(INTEGER, [1, ...randomBytes(8)]);
  const body = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, [2])),
    serial,
    algorithm,
    name,
    der(SEQUENCE, time(-1), time(1)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signed = der(SEQUENCE, body, algorithm, der(BITS, [0], sign("sha256", body, privateKey)));
  const lines = signed
    .toString("base64")
    .match(/.{1,64}/g)
    .join("\n");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
