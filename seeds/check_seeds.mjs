// Seeds and samples for check.mjs, as docs/reference/record.md has them.

// Keyed BLAKE2b (RFC 7693), which node's crypto does not offer.
// A word of 64 bits is two of 32, the lower first: whole integers of 64 bits would take ten times as long.
const IV = Uint32Array.from(["6a09e667f3bcc908", "bb67ae8584caa73b", "3c6ef372fe94f82b", "a54ff53a5f1d36f1", "510e527fade682d1",
  "9b05688c2b3e6c1f", "1f83d9abfb41bd6b", "5be0cd19137e2179"].flatMap((word) => [`0x${word.slice(8)}`, `0x${word.slice(0, 8)}`]));
const digits = (rows) => rows.split(" ").map((row) => [...row].map((digit) => 2 * parseInt(digit, 16)));
const SIGMA = digits("0123456789abcdef ea489fd61c02b753 b8c052fdae367194 7931dcbe265a40f8 905724afe1bc683d "
  + "2c6a0b834d75fe19 c51fed4a0763928b db7ec13950f4862a 6fe9b308c2d714a5 a2847615fb9e3cd0");
const MIXED = digits("048c 159d 26ae 37bf 05af 16bc 278d 349e");
const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc(128 - bytes.length)]);
function add(v, a, low, high) {
  const total = v[a] + low;
  v[a] = total;
  v[a + 1] += high + (total > 0xffffffff ? 1 : 0);
}
function turn(v, a, b, bits) { // to the right, after exclusive or
  let [low, high] = [v[a] ^ v[b], v[a + 1] ^ v[b + 1]];
  if (bits >= 32) [low, high] = [high, low];
  const rest = bits % 32;
  v[a] = rest ? (low >>> rest) | (high << (32 - rest)) : low;
  v[a + 1] = rest ? (high >>> rest) | (low << (32 - rest)) : high;
}

function compressed(state, block, bytes, last) {
  const v = new Uint32Array(32), words = new Uint32Array(32);
  v.set(state);
  v.set(IV, 16);
  v[24] ^= bytes;
  if (last) [v[28], v[29]] = [~v[28], ~v[29]];
  for (let k = 0; k < 32; k += 1) words[k] = block.readUInt32LE(4 * k);
  for (let round = 0; round < 12; round += 1) {
    const order = SIGMA[round % 10];
    for (let k = 0; k < 8; k += 1) {
      const [a, b, c, d] = MIXED[k];
      for (let half = 0; half < 2; half += 1) {
        const word = order[2 * k + half];
        add(v, a, v[b], v[b + 1]);
        add(v, a, words[word], words[word + 1]);
        turn(v, d, a, half ? 16 : 32);
        add(v, c, v[d], v[d + 1]);
        turn(v, b, c, half ? 63 : 24);
      }
    }
  }
  return state.map((word, k) => word ^ v[k] ^ v[k + 16]);
}

const KEY = Buffer.from("tourney-seed-1", "ascii"); // 14 bytes; digest size 8: both stand in the first word
const KEYED = compressed(IV.map((word, k) => (k ? word : word ^ 0x01010e08)), padded(KEY), 128, false);
export function derive(parent, ...labels) {
  const text = Buffer.from([parent, ...labels].join("/"), "ascii");
  let state = KEYED;
  for (let end = 0, at = 0; at < text.length; at = end) {
    end = Math.min(at + 128, text.length);
    state = compressed(state, padded(text.subarray(at, end)), 128 + end, end === text.length);
  }
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(state[0], 0);
  bytes.writeUInt32LE(state[1], 4);
  return bytes.readBigUInt64BE();
}
export const uniform = (u, total) => Number((BigInt(u) * BigInt(total)) >> 64n);
