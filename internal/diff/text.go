package diff

import (
	"bytes"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/assay-dev/assay/internal/regexp"
)

// visibleNUL replaces a NUL byte in a text for display (U+2400, symbol for null).
const visibleNUL = "\u2400"

// Text decodes a file to UTF-8 with the same lines, and returns false if it is not text. It decodes UTF-16
// and UTF-32 with and without a byte order mark, and other bytes that are not UTF-8 as Windows-1252. It
// replaces NUL by a visible symbol. The result may be raw itself.
func Text(raw []byte) ([]byte, bool) {
	if utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0 {
		return raw, true
	}
	for _, enc := range wideEncodings {
		if text, ok := enc.decode(raw); ok {
			return text, true
		}
	}
	if !looksLikeText(raw) {
		return nil, false
	}
	return []byte(Recode(string(raw))), true
}

// Recode returns a line as [Text] decodes it: bytes that are not UTF-8 as Windows-1252, and NUL as a
// visible symbol.
func Recode(line string) string {
	if utf8.ValidString(line) && strings.IndexByte(line, 0) < 0 {
		return line
	}
	var b strings.Builder
	for len(line) > 0 {
		r, size := utf8.DecodeRuneInString(line)
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(charmap.Windows1252.DecodeByte(line[0]))
		case r == 0:
			b.WriteString(visibleNUL)
		default:
			b.WriteString(line[:size])
		}
		line = line[size:]
	}
	return b.String()
}

// looksLikeText reports whether few of the bytes are control characters. A run of NUL counts once, so that padding
// does not decide, and up to maxOddBytes control characters are always allowed.
func looksLikeText(raw []byte) bool {
	odd, n := 0, 0
	var last byte
	for i, c := range raw {
		if i > 0 && c == 0 && last == 0 {
			continue
		}
		last = c
		n++
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b && c != '\v' && c != '\b' || c == 0x7f ||
			!utf8.Valid(raw) && (c >= 0x80 && c < 0xa0) {
			odd++
		}
	}
	return odd <= maxOddBytes || 20*odd <= n
}

// maxOddBytes is the number of control characters that even a short text may have.
const maxOddBytes = 3

// wide is an encoding with units of two or four bytes.
type wide struct {
	mark  []byte
	size  int
	order binary.ByteOrder
}

// wideEncodings are in the order of trial, UTF-32 first, because its mark begins with that of UTF-16.
var wideEncodings = []wide{
	{[]byte{0xff, 0xfe, 0, 0}, 4, binary.LittleEndian}, {[]byte{0, 0, 0xfe, 0xff}, 4, binary.BigEndian},
	{[]byte{0xff, 0xfe}, 2, binary.LittleEndian}, {[]byte{0xfe, 0xff}, 2, binary.BigEndian},
}

// decode decodes a text and returns false if it does not have this encoding. Without a mark, most
// characters must be common in texts.
func (w wide) decode(raw []byte) ([]byte, bool) {
	rest, has := bytes.CutPrefix(raw, w.mark)
	if len(rest) < 2*w.size || len(rest)%w.size >= w.size || !has && len(rest)%w.size != 0 {
		return nil, false
	}
	var b bytes.Buffer
	common, odd, n := 0, 0, 0
	for at := 0; at+w.size <= len(rest); {
		var r rune
		if w.size == 4 {
			r, at = rune(w.order.Uint32(rest[at:])), at+4 //nolint:gosec // checked below
		} else {
			r, at = rune(w.order.Uint16(rest[at:])), at+2
			if utf16.IsSurrogate(r) && at+2 <= len(rest) {
				if pair := utf16.DecodeRune(r, rune(w.order.Uint16(rest[at:]))); pair != unicode.ReplacementChar {
					r, at = pair, at+2
				}
			}
		}
		n++
		switch {
		case r < 0 || r > unicode.MaxRune || utf16.IsSurrogate(r):
			odd++
			r = unicode.ReplacementChar
		case r == 0:
			odd++
			r = '\u2400'
		case r < ' ' && !unicode.IsSpace(r) && r != 0x1b && r != '\b', !unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r):
			odd++
		case r < 0x80, unicode.IsSpace(r):
			common++
		}
		b.WriteRune(r)
	}
	if has {
		return b.Bytes(), 4*odd <= n
	}
	// Without a mark, pairs of ASCII bytes look like East Asian letters. A real text also has spaces, line
	// ends and ASCII signs between its letters.
	return b.Bytes(), 20*odd <= n && 20*common >= n
}

// magic matches the beginning of binary formats.
var magic = regexp.MustCompile(`(?s)^(\x89PNG|GIF8|\xff\xd8\xff|BM.{4}\x00|II\*\x00|MM\x00\*|RIFF|PK\x03\x04|PK\x05\x06|` +
	`\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd|%PDF|` +
	`\x7fELF|MZ|\xfe\xed\xfa|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\x00asm|!<arch>|[A-Z]{3}ite format 3\x00|wOFF|wOF2|OTTO|` +
	`\x00\x01\x00\x00|true|OggS|ID3|\xff\xfb|fLaC|.{4}ftyp|\x1aE\xdf\xa3|` +
	`\xd0\xcf\x11\xe0|\x00\x00[\x01\x02]\x00|8BPS|\xed\xab\xee\xdb|\x93NUMPY|\x89HDF|PAR1|dex\n|icns|ttcf)`)

// Openings of programs inside binary data. The short ones also occur by chance in compressed data, so they
// count only if readable text follows, up to their closing or for readableRun characters.
var (
	openings      = [][]byte{[]byte("<?php"), []byte("<script"), []byte("<?="), []byte("<%="), []byte("<%@")}
	interpreted   = regexp.MustCompile(`^(\x{FEFF})?#!`)
	shortOpening  = len("<?=")
	openingCloses = map[byte]string{'?': "?>", '%': "%>"}
)

const readableRun = 16

// embedded reports whether binary data contains a program.
func embedded(raw []byte) bool {
	if interpreted.Match(raw) {
		return true
	}
	for rest := raw; ; {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			return false
		}
		rest = rest[at:]
		if i := slices.IndexFunc(openings, func(open []byte) bool { return bytes.HasPrefix(rest, open) }); i >= 0 &&
			opened(openings[i], rest[len(openings[i]):]) {
			return true
		}
		rest = rest[1:]
	}
}

// opened reports whether readable text follows an opening.
func opened(open, rest []byte) bool {
	run := 0
	for run < len(rest) && run < 8*readableRun && (rest[run] >= ' ' && rest[run] < 0x7f || rest[run] == '\t' || rest[run] == '\n' ||
		rest[run] == '\r') {
		run++
	}
	if len(open) > shortOpening {
		return run > 0 && (rest[0] == '>' || rest[0] <= ' ')
	}
	return run >= readableRun || bytes.Contains(rest[:run], []byte(openingCloses[open[1]]))
}

// lfsPointer matches the file that a repository has in place of content in Git LFS
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
var lfsPointer = regexp.MustCompile(`^version https://(git-lfs|hawser)\.github\.com/spec/\S+\r?\n(ext-\d-\S+ \S+\r?\n)*oid ` +
	`\S+\r?\nsize \d+\s*$`)

// pointer reports whether a version is a Git LFS pointer.
func pointer(content []byte) bool { return len(content) < 1024 && lfsPointer.Match(content) }

// Program reports whether a program may run a file that is not text: the file has a name of text, is
// executable without a known format, or contains a script.
func (f *File) Program(raw []byte) bool {
	ext := strings.ToLower(path.Ext(f.Path))
	switch {
	case embedded(raw):
		return true
	case binaryExt[ext]:
		return false
	case magic.Match(raw):
		return Language(f.Path) != "" && ext != ""
	}
	return Language(f.Path) != "" || f.Mode == modeExecutable
}
