// Reads Ogg files, to compare with those that the page makes.

export function* pagesOf(file) {
  for (let at = 0; at < file.length; ) {
    const laces = [...file.subarray(at + 27, at + 27 + file[at + 26])];
    const end = at + 27 + laces.length + laces.reduce((sum, lace) => sum + lace, 0);
    yield { page: file.subarray(at, end), laces, body: file.subarray(at + 27 + laces.length, end) };
    at = end;
  }
}

// The packets of an Opus file, without its two headers.
export function packetsOf(file) {
  const packets = [];
  let parts = [];
  for (const { laces, body } of pagesOf(file)) {
    let at = 0;
    for (const lace of laces) {
      parts.push(body.subarray(at, (at += lace)));
      if (lace < 255) packets.push(new Uint8Array(Buffer.concat(parts.splice(0))));
    }
  }
  return packets.slice(2);
}
