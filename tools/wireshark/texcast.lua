-- texcast.lua — a dissector of texcast's streams for Wireshark and tshark, after docs/wire.md.
--
-- Wireshark dissects RTP and RTCP. This adds their payloads (UltraGrid's video, audio, FEC and crypto headers), texcast's
-- header extension, and texcast's own datagrams: parity, NACKs, coded streams, sealed envelopes.
--
-- Install it in the folder that `tshark -G folders` calls "Global Lua Plugins" or "Personal Lua Plugins". The ports are a
-- preference (texcast.ports, default 5004 to 5007). On other ports a heuristic or "Decode As" recognises the streams.
-- Examples of filters: texcast.frame == 17, texcast.type == 6, ultragrid.offset == 0, texcast.ext.available …
--
-- The bytes are untrusted: every read is preceded by a check that the bytes exist.

set_plugin_info({ version = "1", author = "texcast", description = "texcast and UltraGrid streams" })

local texcast = Proto("texcast", "texcast")
local video = Proto("ultragrid", "UltraGrid video")
local audio = Proto("ultragrid_audio", "UltraGrid audio")
local extension = Proto("texcast_ext", "texcast header extension")

-- ---- names of values (docs/wire.md) ----

local types = {
  [2] = "parity", [3] = "NACK", [4] = "coded data", [5] = "coded parity", [6] = "tile request",
  [8] = "pointer", [9] = "pointer shape", [10] = "row checksums", [11] = "envelope repair", [12] = "envelope NACK",
  [16] = "audio parity",
}
local formats = {
  [0] = "as the FourCC says", [1] = "bc1", [2] = "ycocg-bc4", [3] = "ycocg-bc4-422", [4] = "ycocg-bc4-444",
  [5] = "ycocg-dxt5", [6] = "bc3", [7] = "bc4", [8] = "ycocg-dxt5-alpha", [9] = "BC1 of Y'CbCr", [10] = "UYVY",
  [11] = "RGBA", [12] = "RGB", [13] = "BGR", [14] = "YUYV", [15] = "bc5",
  [16] = "eac-r11", [17] = "eac-r11-signed", [18] = "eac-rg11", [19] = "eac-rg11-signed", [20] = "bc4-signed",
  [21] = "bc5-signed", [22] = "etc1", [23] = "etc2", [24] = "etc2-alpha", [25] = "etc2-a1", [26] = "bc7", [27] = "bc6h",
  [28] = "bc6h-signed", [29] = "astc-4x4", [30] = "astc-5x4", [31] = "astc-5x5", [32] = "astc-6x5", [33] = "astc-6x6",
  [34] = "astc-8x5", [35] = "astc-8x6", [36] = "astc-8x8", [37] = "astc-10x5", [38] = "astc-10x6", [39] = "astc-10x8",
  [40] = "astc-10x10", [41] = "astc-12x10", [42] = "astc-12x12",
}
local matrices = { [0] = "BT.601", [1] = "BT.709", [2] = "BT.2020" }
local ranges = { [0] = "limited", [1] = "full" }
local interlacings = {
  [0] = "progressive", [1] = "upper field first", [2] = "lower field first", [3] = "merged", [4] = "segmented",
}
local payloads = {
  [20] = "video", [21] = "audio", [22] = "video, LDGM", [24] = "video, encrypted", [25] = "audio, encrypted",
  [27] = "video, Reed-Solomon", [29] = "video, LDGM, encrypted", [30] = "video, Reed-Solomon, encrypted",
}
local modes = { [1] = "CTR", [2] = "CFB", [3] = "ECB", [4] = "CBC", [5] = "GCM" }
local codings = { [0x0001] = "PCM", [0x7375704F] = "Opus" }

local NO_DELAY = 0xFFFFFFFF -- µs: unknown

-- ---- fields ----

local f = {} -- by their full name
local lists = { [texcast] = {}, [video] = {}, [audio] = {}, [extension] = {} }
local function define(proto, kind, name, label, ...)
  local made = ProtoField[kind](name, label, ...)
  f[name] = made
  table.insert(lists[proto], made)
end

define(texcast, "string", "texcast.magic", "Magic")
define(texcast, "uint8", "texcast.version", "Version")
define(texcast, "uint8", "texcast.type", "Type", base.DEC, types)
define(texcast, "uint32", "texcast.ssrc", "SSRC", base.HEX)
define(texcast, "uint32", "texcast.timestamp", "Time stamp (90 kHz)")
define(texcast, "uint16", "texcast.seq", "Sequence number")
define(texcast, "uint32", "texcast.frame", "Frame (buffer id)", base.DEC, nil, 0x3FFFFF)
define(texcast, "bool", "texcast.flags.description", "Description follows", 8, nil, 0x01)
define(texcast, "bool", "texcast.flags.answers", "Sender answers NACKs", 8, nil, 0x02)
define(texcast, "bool", "texcast.flags.tiles", "Sender accepts tile requests", 8, nil, 0x04)
define(texcast, "bool", "texcast.flags.parity", "Frame has parity", 8, nil, 0x08)
define(texcast, "uint8", "texcast.description", "Description number")
define(texcast, "uint16", "texcast.packet", "Packet number in the frame")
define(texcast, "uint16", "texcast.packets", "Data packets in the frame")
define(texcast, "bytes", "texcast.payload", "Payload")
define(texcast, "uint32", "texcast.payload.len", "Payload length")
define(texcast, "uint24", "texcast.payload.tile", "First tile")
define(texcast, "uint32", "texcast.payload.check", "Checksum", base.HEX)
define(texcast, "uint8", "texcast.format", "Texture format", base.DEC, formats)
define(texcast, "uint8", "texcast.coder_version", "Codec version", base.DEC,
  { "lossless", "lossy", "further formats, lossless", "lossy, transform coding" })
define(texcast, "uint16", "texcast.width", "Width")
define(texcast, "uint16", "texcast.height", "Height")
define(texcast, "uint32", "texcast.rate.frames", "Frames")
define(texcast, "uint32", "texcast.rate.seconds", "in seconds")
define(texcast, "double", "texcast.fps", "Frames per second")
define(texcast, "uint32", "texcast.coder", "Codec's own word", base.HEX)
define(texcast, "uint16", "texcast.group", "Group")
define(texcast, "uint16", "texcast.groups", "Groups")
define(texcast, "uint8", "texcast.parity", "Parity packets per group")
define(texcast, "uint8", "texcast.parity.number", "Parity packet number")
define(texcast, "uint16", "texcast.symbol.len", "Symbol bytes")
define(texcast, "bytes", "texcast.symbol", "Symbol")
define(texcast, "uint16", "texcast.ranges", "Ranges")
define(texcast, "uint32", "texcast.range.first", "First", base.DEC, nil, 0xFFFFF000)
define(texcast, "uint32", "texcast.range.count", "Count", base.DEC, nil, 0x00000FFF)
define(texcast, "bytes", "texcast.envelopes.session", "Session")
define(texcast, "uint64", "texcast.envelopes.base", "Base")
define(texcast, "uint16", "texcast.envelopes.first", "First, from the base")
define(texcast, "uint16", "texcast.envelopes.count", "Count")
define(texcast, "bool", "texcast.tiles.all", "All tiles", 32, nil, 0x80000000)
define(texcast, "bool", "texcast.tiles.nothing", "Receiver has no frame yet", 32, nil, 0x80000000)
define(texcast, "uint32", "texcast.tiles.newest", "Newest frame", base.DEC, nil, 0x3FFFFF)
define(texcast, "uint32", "texcast.tiles.state", "Receiver's state: frame", base.DEC, nil, 0x3FFFFF)
define(texcast, "uint16", "texcast.sums.row", "First row of tiles")
define(texcast, "uint16", "texcast.sums.rows", "Rows of tiles")
define(texcast, "uint32", "texcast.sums.sum", "Row checksum", base.HEX)
define(texcast, "uint8", "texcast.sealed.type", "Envelope type")
define(texcast, "bytes", "texcast.sealed.session", "Session")
define(texcast, "uint64", "texcast.sealed.counter", "Counter")
define(texcast, "absolute_time", "texcast.sealed.began", "Session began", base.UTC)
define(texcast, "absolute_time", "texcast.sealed.sealed", "Sealed", base.UTC)
define(texcast, "bytes", "texcast.sealed.ciphertext", "Ciphertext")
define(texcast, "bytes", "texcast.sealed.tag", "Tag")
define(texcast, "uint32", "texcast.pointer.number", "Datagram number")
define(texcast, "bool", "texcast.pointer.visible", "Visible", 8, nil, 0x01)
define(texcast, "uint16", "texcast.pointer.shape", "Shape number")
define(texcast, "int32", "texcast.pointer.x", "x")
define(texcast, "int32", "texcast.pointer.y", "y")
define(texcast, "absolute_time", "texcast.pointer.captured", "Captured", base.UTC)
define(texcast, "uint8", "texcast.pointer.part", "Part")
define(texcast, "uint16", "texcast.pointer.width", "Width")
define(texcast, "uint16", "texcast.pointer.height", "Height")
define(texcast, "uint16", "texcast.pointer.hot_x", "Hot spot x")
define(texcast, "uint16", "texcast.pointer.hot_y", "Hot spot y")
define(texcast, "uint32", "texcast.pointer.bytes", "Bytes of all parts")
define(texcast, "bytes", "texcast.pointer.data", "Shape (zstd)")
define(texcast, "uint16", "texcast.sound.first", "First sequence number of the group")
define(texcast, "uint8", "texcast.sound.data", "Data packets of the group")

define(extension, "uint8", "texcast.ext.version", "Version")
define(extension, "uint8", "texcast.ext.format", "Texture format", base.DEC, formats)
define(extension, "uint8", "texcast.ext.matrix", "Matrix", base.DEC, matrices)
define(extension, "uint8", "texcast.ext.range", "Range", base.DEC, ranges)
define(extension, "uint8", "texcast.ext.primaries", "Colour primaries (H.273)")
define(extension, "uint8", "texcast.ext.transfer", "Transfer characteristics (H.273)")
define(extension, "uint16", "texcast.ext.aspect", "Pixel width / height, in 1/1024 (0: square)")
define(extension, "uint16", "texcast.ext.width", "True width")
define(extension, "uint16", "texcast.ext.height", "True height")
define(extension, "absolute_time", "texcast.ext.available", "Available", base.UTC)
define(extension, "uint32", "texcast.ext.encode_us", "µs from available to encoded")
define(extension, "uint32", "texcast.ext.send_us", "µs from encoded to sent")
define(extension, "uint16", "texcast.ext.symbol", "Symbol bytes (0: packets are not symbols)")
define(extension, "uint16", "texcast.ext.groups", "Groups")
define(extension, "uint8", "texcast.ext.parity", "Parity packets per group")
define(extension, "bool", "texcast.ext.answers", "Sender answers NACKs", 8, nil, 0x01)
define(extension, "uint8", "texcast.ext.channels", "Channels")
define(extension, "uint16", "texcast.ext.samples", "Samples per channel")
define(extension, "absolute_time", "texcast.ext.captured", "Captured", base.UTC)
define(extension, "uint32", "texcast.ext.position", "First sample number")
define(extension, "uint8", "texcast.ext.parity_ms", "Parity follows within ms (0: none)")

define(video, "uint32", "ultragrid.substream", "Substream (tile)", base.DEC, nil, 0xFFC00000)
define(video, "uint32", "ultragrid.buffer", "Buffer id (frame)", base.DEC, nil, 0x003FFFFF)
define(video, "uint32", "ultragrid.offset", "Offset")
define(video, "uint32", "ultragrid.length", "Frame length")
define(video, "uint16", "ultragrid.width", "Width")
define(video, "uint16", "ultragrid.height", "Height")
define(video, "string", "ultragrid.fourcc", "FourCC")
define(video, "uint32", "ultragrid.interlacing", "Interlacing", base.DEC, interlacings, 0xE0000000)
define(video, "uint32", "ultragrid.rate", "Rate: whole number", base.DEC, nil, 0x1FF80000)
define(video, "uint32", "ultragrid.rate.divisor", "Rate: divisor", base.DEC, nil, 0x00078000)
define(video, "uint32", "ultragrid.rate.1001", "Rate: divide by 1.001", base.DEC, nil, 0x00004000)
define(video, "uint32", "ultragrid.rate.inverted", "Rate: inverted", base.DEC, nil, 0x00002000)
define(video, "double", "ultragrid.fps", "Frames per second")
define(video, "uint32", "ultragrid.fec.length", "Block length")
define(video, "uint32", "ultragrid.fec.k", "K, data symbols", base.DEC, nil, 0xFFF80000)
define(video, "uint32", "ultragrid.fec.m", "M, parity symbols", base.DEC, nil, 0x0007FFC0)
define(video, "uint32", "ultragrid.fec.c", "C, ones per column", base.DEC, nil, 0x0000003F)
define(video, "uint32", "ultragrid.fec.seed", "Seed")
define(video, "uint32", "ultragrid.fec.symbol", "Symbol bytes")
define(video, "uint32", "ultragrid.fec.inner", "Inner length")
define(video, "uint8", "ultragrid.crypto.mode", "Mode", base.DEC, modes)
define(video, "uint32", "ultragrid.crypto.length", "Plaintext length")
define(video, "bytes", "ultragrid.crypto.iv", "IV")
define(video, "bytes", "ultragrid.crypto.ciphertext", "Ciphertext")
define(video, "bytes", "ultragrid.data", "Part of the frame")
define(video, "uint32", "ultragrid.data.len", "Bytes of the part")

define(audio, "uint32", "ultragrid_audio.channel", "Channel", base.DEC, nil, 0xFFC00000)
define(audio, "uint32", "ultragrid_audio.buffer", "Buffer id", base.DEC, nil, 0x003FFFFF)
define(audio, "uint32", "ultragrid_audio.offset", "Offset")
define(audio, "uint32", "ultragrid_audio.length", "Length of the channel's buffer")
define(audio, "uint32", "ultragrid_audio.bits", "Bits per sample", base.DEC, nil, 0xFC000000)
define(audio, "uint32", "ultragrid_audio.rate", "Samples per second", base.DEC, nil, 0x03FFFFFF)
define(audio, "uint32", "ultragrid_audio.tag", "Coding", base.HEX, codings)
define(audio, "bytes", "ultragrid_audio.data", "Audio data")
define(audio, "uint32", "ultragrid_audio.data.len", "Bytes of audio data")

for proto, list in pairs(lists) do proto.fields = list end

local short = ProtoExpert.new("texcast.short", "Truncated", expert.group.MALFORMED, expert.severity.ERROR)
local wrong = ProtoExpert.new("texcast.wrong", "Contradictory values", expert.group.PROTOCOL, expert.severity.WARN)
texcast.experts = { short, wrong }

-- ---- bounds-checked reads ----

-- A view of a tvb from `at` on, which knows its end. Every read goes through it.
local Reader = {}
Reader.__index = Reader
local function reader(tvb, tree, at) return setmetatable({ tvb = tvb, tree = tree, at = at or 0 }, Reader) end
function Reader:left() return self.tvb:len() - self.at end
function Reader:has(count) return self:left() >= count end
-- False if there are fewer bytes, which the tree then shows.
function Reader:need(count, what)
  if self:has(count) then return true end
  self.tree:add_proto_expert_info(short, string.format("%s needs %d bytes, but there are %d", what, count, self:left()))
  return false
end
-- The next `count` bytes, which must exist.
function Reader:peek(offset, count) return self.tvb:range(self.at + (offset or 0), count) end
function Reader:skip(count) self.at = self.at + count end
-- Adds a field, and continues after it.
function Reader:add(name, count)
  local item = self.tree:add(f[name], self:peek(0, count))
  self:skip(count)
  return item
end
function Reader:add_le(name, count)
  self.tree:add_le(f[name], self:peek(0, count))
  self:skip(count)
end
-- Adds several fields of the same bytes, by their masks.
function Reader:add_bits(count, ...)
  for _, name in ipairs({ ... }) do self.tree:add(f[name], self:peek(0, count)) end
  self:skip(count)
end
function Reader:add_rest(name, count)
  if count == nil then count = self:left() end
  if f[name .. ".len"] then self.tree:add(f[name .. ".len"], self.tvb:range(self.at, count), count):set_generated() end
  if count > 0 then self:add(name, count) end
end
function Reader:u8(offset) return self:peek(offset, 1):uint() end
function Reader:u16(offset) return self:peek(offset, 2):uint() end
function Reader:u32(offset) return self:peek(offset, 4):uint() end
-- A reader with a subtree of its own, for `count` bytes.
function Reader:branch(label, count)
  return reader(self.tvb, self.tree:add(texcast, self:peek(0, count), label), self.at)
end

-- ns since 1970; 0 is unknown.
local function add_time(r, name)
  local range = r:peek(0, 8)
  local ns = range:uint64()
  if ns == UInt64(0) then
    r.tree:add(f[name], range, NSTime(0, 0)):append_text(" (unknown)")
  else
    local billion = UInt64(1000000000)
    r.tree:add(f[name], range, NSTime((ns / billion):tonumber(), (ns % billion):tonumber()))
  end
  r:skip(8)
end
local function add_seconds(r, name)
  r.tree:add(f[name], r:peek(0, 4), NSTime(r:u32(), 0))
  r:skip(4)
end
local function add_delay(r, name)
  local value = r:u32()
  local item = r:add(name, 4)
  if value == NO_DELAY then item:append_text(" (unknown)") end
end

-- ---- texcast's header extension; parity packets contain it too ----

local function matrix_to_transfer(r)
  r:add("texcast.ext.matrix", 1)
  r:add("texcast.ext.range", 1)
  r:add("texcast.ext.primaries", 1)
  r:add("texcast.ext.transfer", 1)
end
local function times(r)
  add_time(r, "texcast.ext.available")
  add_delay(r, "texcast.ext.encode_us")
  add_delay(r, "texcast.ext.send_us")
end

-- `r` is after the preamble, or in a parity packet; the extension has `count` bytes.
local function video_extension(r, count)
  if count < 28 or not r:need(28, "texcast's extension") then return end
  r:add("texcast.ext.version", 1)
  r:add("texcast.ext.format", 1)
  matrix_to_transfer(r)
  r:add("texcast.ext.aspect", 2)
  r:add("texcast.ext.width", 2)
  r:add("texcast.ext.height", 2)
  times(r)
  if count < 36 or not r:has(8) then return end
  r:add("texcast.ext.symbol", 2)
  r:add("texcast.ext.groups", 2)
  r:add("texcast.ext.parity", 1)
  r:add("texcast.ext.answers", 1)
  r:skip(2)
end

local function audio_extension(r)
  if not r:need(24, "texcast's audio extension") then return end
  r:add("texcast.ext.version", 1)
  r:add("texcast.ext.channels", 1)
  r:add("texcast.ext.samples", 2)
  add_time(r, "texcast.ext.captured")
  r:add("texcast.ext.position", 4)
  r:add("texcast.ext.parity_ms", 1)
end

local rtp_payload_type = Field.new("rtp.p_type")

-- Called by Wireshark's RTP dissector, with the bytes after the preamble.
function extension.dissector(tvb, _, tree)
  local r = reader(tvb, tree:add(extension, tvb:range()))
  if not r:need(1, "texcast's extension") then return 0 end
  if r:u8() ~= 1 then
    r:add("texcast.ext.version", 1)
    return tvb:len()
  end
  local type = rtp_payload_type()
  if type and (type.value == 21 or type.value == 25) then
    audio_extension(r)
  else
    video_extension(r, tvb:len())
  end
  return tvb:len()
end

-- ---- UltraGrid's headers ----

local function fps_of(word)
  local fps = math.floor(word / 0x80000) % 1024
  local divisor = math.floor(word / 0x8000) % 16
  local by_1001 = math.floor(word / 0x4000) % 2 == 1
  local inverted = math.floor(word / 0x2000) % 2 == 1
  if fps == 0 or divisor == 0 then return 30 end
  local rate = fps / divisor
  if by_1001 and fps > 5 then rate = rate / 1.001 end -- for rates up to 5 UltraGrid always sets it
  return inverted and 1 / rate or rate
end

-- Returns the frame number, offset, length and FourCC; nil if the header is truncated.
local function video_header(r)
  if not r:need(24, "UltraGrid's video header") then return nil end
  local frame, offset, length = r:u32() % 0x400000, r:u32(4), r:u32(8)
  r:add_bits(4, "ultragrid.substream", "ultragrid.buffer")
  r:add("ultragrid.offset", 4)
  r:add("ultragrid.length", 4)
  r:add("ultragrid.width", 2)
  r:add("ultragrid.height", 2)
  local fourcc = r:peek(0, 4):string():gsub("[^%w%p ]", "?")
  r:add("ultragrid.fourcc", 4)
  local word = r:u32()
  local rate = r:peek(0, 4)
  r:add_bits(4, "ultragrid.interlacing", "ultragrid.rate", "ultragrid.rate.divisor", "ultragrid.rate.1001",
    "ultragrid.rate.inverted")
  r.tree:add(f["ultragrid.fps"], rate, fps_of(word)):set_generated()
  return frame, offset, length, fourcc
end

local function fec_header(r)
  if not r:need(20, "UltraGrid's FEC header") then return nil end
  local frame, offset, length, shape = r:u32() % 0x400000, r:u32(4), r:u32(8), r:u32(12)
  local k, m = math.floor(shape / 0x80000), math.floor(shape / 0x40) % 0x2000
  r:add_bits(4, "ultragrid.substream", "ultragrid.buffer")
  r:add("ultragrid.offset", 4)
  r:add("ultragrid.fec.length", 4)
  local where = r:peek(0, 4)
  r:add_bits(4, "ultragrid.fec.k", "ultragrid.fec.m", "ultragrid.fec.c")
  if k + m > 0 then r.tree:add(f["ultragrid.fec.symbol"], where, math.floor(length / (k + m))):set_generated() end
  r:add("ultragrid.fec.seed", 4)
  return frame, offset, length
end

local function crypto(r)
  if not r:need(4 + 4 + 16, "UltraGrid's crypto header and blob") then return end
  r:add("ultragrid.crypto.mode", 1)
  r:skip(3)
  r:add_le("ultragrid.crypto.length", 4)
  r:add("ultragrid.crypto.iv", 16)
  r:add_rest("ultragrid.crypto.ciphertext")
end

local function is_fec(type) return type == 22 or type == 27 or type == 29 or type == 30 end
local function is_encrypted(type) return type == 24 or type == 29 or type == 30 end

local function check_part(r, offset, length, what)
  if offset + r:left() > length then
    r.tree:add_proto_expert_info(wrong, string.format("%d bytes at %d exceed the %s of %d bytes", r:left(), offset, what, length))
  end
end

-- Called by Wireshark's RTP dissector for these payload types.
function video.dissector(tvb, pinfo, tree)
  local found = rtp_payload_type()
  local type = found and found.value or 20
  pinfo.cols.protocol = "UltraGrid"
  local r = reader(tvb, tree:add(video, tvb:range(), "UltraGrid " .. (payloads[type] or "video")))
  local frame, offset, length, fourcc
  if is_fec(type) then
    frame, offset, length = fec_header(r)
  else
    frame, offset, length, fourcc = video_header(r)
  end
  if not frame then return tvb:len() end
  pinfo.cols.info:append(string.format(", frame %d, %d of %d%s", frame, offset, length, fourcc and ", " .. fourcc or ""))
  if is_encrypted(type) then
    crypto(r)
    return tvb:len()
  end
  check_part(r, offset, length, is_fec(type) and "block" or "frame")
  -- The block begins with its inner length, little-endian, and the frame's video header.
  if is_fec(type) and offset == 0 and r:has(28) then
    local inner = r:branch("Beginning of the block", 28)
    inner:add_le("ultragrid.fec.inner", 4)
    video_header(inner)
    r:skip(28)
  end
  r:add_rest("ultragrid.data")
  return tvb:len()
end

function audio.dissector(tvb, pinfo, tree)
  pinfo.cols.protocol = "UltraGrid"
  local r = reader(tvb, tree:add(audio, tvb:range()))
  if not r:need(20, "UltraGrid's audio header") then return tvb:len() end
  local buffer, channel = r:u32() % 0x400000, math.floor(r:u32() / 0x400000)
  local offset, length = r:u32(4), r:u32(8)
  pinfo.cols.info:append(string.format(", audio %d, channel %d", buffer, channel))
  r:add_bits(4, "ultragrid_audio.channel", "ultragrid_audio.buffer")
  r:add("ultragrid_audio.offset", 4)
  r:add("ultragrid_audio.length", 4)
  r:add_bits(4, "ultragrid_audio.bits", "ultragrid_audio.rate")
  r:add("ultragrid_audio.tag", 4)
  local type = rtp_payload_type()
  if type and type.value == 25 then
    crypto(r)
    return tvb:len()
  end
  check_part(r, offset, length, "channel's buffer")
  r:add_rest("ultragrid_audio.data")
  return tvb:len()
end

-- ---- texcast's own datagrams: each function reads what follows 'T' 'C' version type, and returns a text for the list ----

local function frame_word(r, label)
  local frame = r:u32() % 0x400000
  r:add(label or "texcast.frame", 4)
  return frame
end

local function add_ranges(r, count)
  for _ = 1, count do
    if not r:need(4, "A range") then return end
    local word = r:u32()
    local first, many = math.floor(word / 0x1000), word % 0x1000
    local branch = r:branch(string.format("%d to %d", first, first + many - 1), 4)
    branch:add_bits(4, "texcast.range.first", "texcast.range.count")
    if many == 0 then r.tree:add_proto_expert_info(wrong, "empty range") end
    r:skip(4)
  end
  if r:left() > 0 then r.tree:add_proto_expert_info(wrong, string.format("%d bytes after the last range", r:left())) end
end

local function parity(r)
  if not r:need(72, "A parity packet") then return "" end
  r:add("texcast.ssrc", 4)
  r:add("texcast.timestamp", 4)
  local group, number = r:u16(), r:u8(2)
  r:add("texcast.group", 2)
  r:add("texcast.parity.number", 1)
  r:skip(1)
  video_extension(r:branch("Extension", 36), 36)
  r:skip(36)
  local header = r:branch("Video header", 24)
  local frame = video_header(header)
  r:skip(24)
  r:add_rest("texcast.symbol")
  return string.format("frame %d, group %d, parity %d", frame or 0, group, number)
end

local function request(r)
  if not r:need(12, "A NACK") then return "" end
  r:add("texcast.ssrc", 4)
  local frame, count = frame_word(r), r:u16()
  r:add("texcast.ranges", 2)
  r:skip(2)
  if count < 1 or count > 256 then r.tree:add_proto_expert_info(wrong, "a NACK has 1 to 256 ranges") end
  add_ranges(r, math.min(count, 256))
  return string.format("frame %d, ranges %d", frame, count)
end

local function description(r)
  local d = r:branch("Description and times", 40)
  d:add("texcast.format", 1)
  matrix_to_transfer(d)
  d:add("texcast.coder_version", 1)
  d:add("texcast.ext.aspect", 2)
  d:add("texcast.width", 2)
  d:add("texcast.height", 2)
  local where, frames, seconds = d:peek(0, 8), d:u32(), d:u32(4)
  d:add("texcast.rate.frames", 4)
  d:add("texcast.rate.seconds", 4)
  if seconds > 0 then d.tree:add(f["texcast.fps"], where, frames / seconds):set_generated() end
  d:add("texcast.coder", 4)
  times(d)
  r:skip(40)
end

local function flags(r)
  local described = r:u8() % 2 == 1
  r:add_bits(1, "texcast.flags.description", "texcast.flags.answers", "texcast.flags.tiles", "texcast.flags.parity")
  r:add("texcast.description", 1)
  return described
end

local function compact(r)
  if not r:need(20, "A coded data packet") then return "" end
  r:add("texcast.ssrc", 4)
  r:add("texcast.timestamp", 4)
  r:add("texcast.seq", 2)
  local described = flags(r)
  local frame, packet, packets = frame_word(r), r:u16(), r:u16(2)
  r:add("texcast.packet", 2)
  r:add("texcast.packets", 2)
  if packets > 0 and packet >= packets then r.tree:add_proto_expert_info(wrong, "packet number exceeds the number of packets") end
  local said = string.format("frame %d, packet %d of %s", frame, packet, packets > 0 and tostring(packets) or "?")
  if described then
    if not r:need(40, "A description") then return said end
    description(r)
  end
  local length = r:left()
  if length == 0 then r.tree:add_proto_expert_info(short, "the payload is empty") end
  if length >= 7 then -- docs/compact.md; its integers are little-endian
    local inner = r:branch("Payload header", 7)
    inner:add_le("texcast.payload.tile", 3)
    inner:add_le("texcast.payload.check", 4)
  end
  r:add_rest("texcast.payload")
  return string.format("%s, %d bytes", said, length)
end

local function compact_parity(r)
  if not r:need(64, "A coded parity packet") then return "" end
  r:add("texcast.ssrc", 4)
  r:add("texcast.timestamp", 4)
  local group = r:u16()
  r:add("texcast.group", 2)
  flags(r)
  local frame = frame_word(r)
  r:add("texcast.packets", 2)
  local groups = r:u16()
  r:add("texcast.groups", 2)
  local bytes = r:u16()
  r:add("texcast.symbol.len", 2)
  local m, number = r:u8(), r:u8(1)
  r:add("texcast.parity", 1)
  r:add("texcast.parity.number", 1)
  if group >= groups or number >= m then r.tree:add_proto_expert_info(wrong, "group or parity packet number out of range") end
  description(r)
  if r:left() ~= bytes then
    r.tree:add_proto_expert_info(wrong, string.format("symbol of %d bytes instead of %d", r:left(), bytes))
  end
  r:add_rest("texcast.symbol")
  return string.format("frame %d, group %d, parity %d of %d", frame, group, number, m)
end

local function tile_request(r)
  if not r:need(16, "A tile request") then return "" end
  r:add("texcast.ssrc", 4)
  local all, newest = r:u32() >= 0x80000000, r:u32() % 0x400000
  r:add_bits(4, "texcast.tiles.all", "texcast.tiles.newest")
  r:add_bits(4, "texcast.tiles.nothing", "texcast.tiles.state")
  local count = r:u16()
  r:add("texcast.ranges", 2)
  r:skip(2)
  if count > 256 or (count == 0 and not all) then r.tree:add_proto_expert_info(wrong, "a tile request has 1 to 256 ranges, or requests all tiles") end
  add_ranges(r, math.min(count, 256))
  return string.format("frame %d, %s", newest, all and "all tiles" or string.format("ranges %d", count))
end

local function tile_sums(r)
  if not r:need(12, "A datagram of row checksums") then return "" end
  r:add("texcast.ssrc", 4)
  local frame = frame_word(r)
  local first = r:u16()
  r:add("texcast.sums.row", 2)
  local rows = r:u16()
  r:add("texcast.sums.rows", 2)
  if rows < 1 or rows > 256 then r.tree:add_proto_expert_info(wrong, "there are 1 to 256 rows") end
  for _ = 1, math.min(rows, 256) do
    if not r:need(4, "A checksum") then break end
    r:add("texcast.sums.sum", 4)
  end
  return string.format("frame %d, rows %d to %d", frame, first, first + rows - 1)
end

local function envelopes(r)
  if not r:need(20, "A list of envelopes") then return "" end
  r:add("texcast.envelopes.session", 8)
  r:add("texcast.envelopes.base", 8)
  local count = r:u16()
  r:add("texcast.ranges", 2)
  r:skip(2)
  if count > 64 then r.tree:add_proto_expert_info(wrong, "there are at most 64 ranges") end
  for _ = 1, math.min(count, 64) do
    if not r:need(4, "A range") then break end
    local many = r:u16(2)
    r:add("texcast.envelopes.first", 2)
    r:add("texcast.envelopes.count", 2)
    if many == 0 then r.tree:add_proto_expert_info(wrong, "empty range") end
  end
  if r:left() > 0 then r.tree:add_proto_expert_info(wrong, string.format("%d bytes after the last range", r:left())) end
  return string.format("ranges %d", count)
end

local function pointer(r)
  if not r:need(28, "A pointer position") then return "" end
  r:add("texcast.ssrc", 4)
  r:add("texcast.pointer.number", 4)
  r:add("texcast.pointer.visible", 1)
  r:skip(1)
  r:add("texcast.pointer.shape", 2)
  local x, y = r:peek(0, 4):int(), r:peek(4, 4):int()
  r:add("texcast.pointer.x", 4)
  r:add("texcast.pointer.y", 4)
  add_time(r, "texcast.pointer.captured")
  return string.format("at %d, %d", x, y)
end

local function pointer_shape(r)
  if not r:need(20, "A part of a pointer shape") then return "" end
  r:add("texcast.ssrc", 4)
  local shape = r:u16()
  r:add("texcast.pointer.shape", 2)
  local part = r:u8()
  r:add("texcast.pointer.part", 1)
  r:skip(1)
  r:add("texcast.pointer.width", 2)
  r:add("texcast.pointer.height", 2)
  r:add("texcast.pointer.hot_x", 2)
  r:add("texcast.pointer.hot_y", 2)
  r:add("texcast.pointer.bytes", 4)
  r:add_rest("texcast.pointer.data")
  return string.format("shape %d, part %d", shape, part)
end

local function sound_parity(r)
  if not r:need(12, "An audio parity packet") then return "" end
  r:add("texcast.ssrc", 4)
  local first = r:u16()
  r:add("texcast.sound.first", 2)
  r:add("texcast.sound.data", 1)
  r:add("texcast.parity", 1)
  local number = r:u8()
  r:add("texcast.parity.number", 1)
  r:skip(1)
  r:add("texcast.symbol.len", 2)
  r:add_rest("texcast.symbol")
  return string.format("packets from %d, parity %d", first, number)
end

local own = {
  [2] = parity, [3] = request, [4] = compact, [5] = compact_parity, [6] = tile_request, [8] = pointer,
  [9] = pointer_shape, [10] = tile_sums, [11] = envelopes, [12] = envelopes, [16] = sound_parity,
}
-- The smallest datagrams, in bytes.
local least = { [2] = 76, [3] = 20, [4] = 25, [5] = 68, [6] = 20, [8] = 32, [9] = 25, [10] = 20, [11] = 24, [12] = 28, [16] = 18 }

local function sealed(r, pinfo)
  r:add("texcast.sealed.type", 1)
  if not r:need(8 + 8 + 4 + 4 + 16, "A sealed envelope") then return end
  local counter = r:peek(8, 8):uint64()
  r:add("texcast.sealed.session", 8)
  r:add("texcast.sealed.counter", 8)
  add_seconds(r, "texcast.sealed.began")
  add_seconds(r, "texcast.sealed.sealed")
  local length = r:left() - 16
  if length > 0 then r:add("texcast.sealed.ciphertext", length) end
  r:add("texcast.sealed.tag", 16)
  pinfo.cols.info = string.format("sealed, number %s, %d bytes inside", tostring(counter), length)
end

local function own_datagram(tvb, pinfo, tree)
  pinfo.cols.protocol = "texcast"
  pinfo.cols.info = "texcast"
  local r = reader(tvb, tree:add(texcast, tvb:range()))
  if not r:need(4, "A datagram of texcast") then return end
  local version, type = r:u8(2), r:u8(3)
  r:add("texcast.magic", 2)
  r:add("texcast.version", 1)
  if version == 2 then return sealed(r, pinfo) end
  r:add("texcast.type", 1)
  local name = version == 1 and types[type] or string.format("version %d, type %d", version, type)
  local said = version == 1 and own[type] and own[type](r) or ""
  pinfo.cols.info = said == "" and name or name .. ", " .. said
  r.tree:append_text(", " .. name)
end

-- ---- kinds of datagrams ----

local RTP, RTCP, OWN = 1, 2, 3
local rtp_dissector, rtcp_dissector = Dissector.get("rtp"), Dissector.get("rtcp")

local function is_own(tvb)
  return tvb:len() >= 4 and tvb:range(0, 2):uint() == 0x5443
end
local function kind_of(tvb)
  if is_own(tvb) then return OWN end
  if tvb:len() < 8 or tvb:range(0, 1):bitfield(0, 2) ~= 2 then return nil end
  local second = tvb:range(1, 1):uint()
  if second >= 192 and second <= 223 then return RTCP end
  return tvb:len() >= 12 and RTP or nil
end

-- A sender passes many packets of the same size to the kernel at once (UDP_SEGMENT). A capture on its machine, or of loopback,
-- has them as one datagram. Returns where each packet begins, and the end. Each packet begins like the previous one, with the
-- next sequence number.
local function cuts(tvb, kind)
  local whole = { 0, tvb:len() }
  local from, to, counter = 5, 12, 2 -- RTP: time stamp and SSRC; its sequence number
  if kind == OWN then
    from, to = 1, 12 -- type, SSRC and time stamp, or session
    local version, type = tvb:range(2, 1):uint(), tvb:range(3, 1):uint()
    counter = version == 2 and 18 or type == 4 and 12 or nil -- parity has none
    if version == 1 and type ~= 2 and type ~= 4 and type ~= 5 then return whole end
  elseif kind ~= RTP then
    return whole
  end
  if tvb:len() < 2 * 24 then return whole end
  local bytes = tvb:raw()
  local key = bytes:sub(from, to)
  local second = bytes:find(key, from + 24, true)
  if second == nil then return whole end
  local size = second - from
  local found, count = { 0 }, counter and tvb:range(counter, 2):uint()
  for at = size, tvb:len() - 1, size do
    if tvb:len() - at < 24 or bytes:sub(at + from, at + to) ~= key then return whole end
    if counter then
      count = (count + 1) % 0x10000
      if tvb:range(at + counter, 2):uint() ~= count then return whole end
    end
    found[#found + 1] = at
  end
  found[#found + 1] = tvb:len()
  return found
end

local function dissect_one(kind, tvb, pinfo, tree)
  if kind == OWN then
    own_datagram(tvb, pinfo, tree)
  else
    -- A packet that is malformed for the C dissector is shown as such, but is also an error in Lua.
    pcall(Dissector.call, kind == RTP and rtp_dissector or rtcp_dissector, tvb, pinfo, tree)
  end
end

function texcast.dissector(tvb, pinfo, tree)
  local kind = kind_of(tvb)
  if kind == nil then return 0 end
  local at = cuts(tvb, kind)
  if #at == 2 then
    dissect_one(kind, tvb, pinfo, tree)
    return tvb:len()
  end
  for i = 1, #at - 1 do dissect_one(kind, tvb:range(at[i], at[i + 1] - at[i]):tvb(), pinfo, tree) end
  pinfo.cols.info:prepend(string.format("%d packets at once, the last: ", #at - 1))
  return tvb:len()
end

-- The heuristic: whether a datagram on any port belongs to a stream, judged by the consistency of its header.
local function is_ours(tvb)
  local kind = kind_of(tvb)
  if kind then tvb = tvb:range(0, cuts(tvb, kind)[2]):tvb() end
  if kind == OWN then
    local version, type = tvb:range(2, 1):uint(), tvb:range(3, 1):uint()
    if version == 2 then return type == 1 and tvb:len() >= 28 + 16 end
    return version == 1 and least[type] ~= nil and tvb:len() >= least[type]
  end
  if kind ~= RTP or tvb:range(0, 1):bitfield(4, 4) ~= 0 then return false end
  local type, at = tvb:range(1, 1):bitfield(1, 7), 12
  if tvb:range(0, 1):bitfield(3, 1) == 1 then
    if tvb:len() < 16 or tvb:range(12, 2):uint() ~= 0x5443 then return false end
    at = 16 + 4 * tvb:range(14, 2):uint()
  end
  local sound = type == 21 or type == 25
  if type ~= 20 and type ~= 24 and not sound and not is_fec(type) or tvb:len() < at + 24 then return false end
  local offset, length = tvb:range(at + 4, 4):uint(), tvb:range(at + 8, 4):uint()
  if sound then
    local bits, rate = tvb:range(at + 12, 1):bitfield(0, 6), tvb:range(at + 12, 4):bitfield(6, 26)
    if bits % 8 ~= 0 or bits < 8 or bits > 32 or rate < 8000 or rate > 192000 then return false end
    return length > 0 and offset < length and (type == 25 or offset + tvb:len() - at - 20 <= length)
  end
  if is_encrypted(type) then return length > 0 and offset < length end
  local header = is_fec(type) and 20 or 24
  if length == 0 or offset + (tvb:len() - at - header) > length then return false end
  if is_fec(type) then
    local shape = tvb:range(at + 12, 4):uint()
    local symbols = math.floor(shape / 0x80000) + math.floor(shape / 0x40) % 0x2000
    return symbols > 1 and length % symbols == 0
  end
  return tvb:range(at + 16, 4):string():match("^[%w ]+$") ~= nil
end

texcast:register_heuristic("udp", function(tvb, pinfo, tree)
  if not is_ours(tvb) then return false end
  pinfo.conversation = texcast -- also for its other datagrams: RTCP, NACKs, truncated ones
  texcast.dissector(tvb, pinfo, tree)
  return true
end)

-- ---- registration ----

local payload_types = DissectorTable.get("rtp.pt")
for _, type in ipairs({ 20, 22, 24, 27, 29, 30 }) do payload_types:add(type, video) end
for _, type in ipairs({ 21, 25 }) do payload_types:add(type, audio) end
DissectorTable.get("rtp.hdr_ext"):add(0x5443, extension)

local udp_ports = DissectorTable.get("udp.port")
local ports = "5004-5007"
texcast.prefs.ports = Pref.range("UDP ports", ports, "UDP ports of streams of texcast and UltraGrid", 65535)
udp_ports:add(ports, texcast)
udp_ports:add_for_decode_as(texcast)
function texcast.prefs_changed()
  if ports == texcast.prefs.ports then return end
  if ports ~= "" then udp_ports:remove(ports, texcast) end
  ports = texcast.prefs.ports
  if ports ~= "" then udp_ports:add(ports, texcast) end
end
