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

// visibleNUL stands for a NUL byte in a text that is shown (U+2400, symbol for null).
const visibleNUL = "\u2400"

// Text returns a file's bytes as a text in UTF-8 with the same lines, and false for
// what is no text. UTF-16 and UTF-32 are read with and without a byte-order mark, a NUL in
// a text is made visible, and what is not UTF-8 is read as Windows-1252. The result
// may be the bytes themselves.
func Text(raw []byte) ([]byte, bool) {
	if utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0 {
		return raw, true
	}
	for _, enc := range wideEncodings {
		if text, ok := enc.decode(raw); ok {
			return text, true
		}
	}
	if !texty(raw) {
		return nil, false
	}
	return []byte(Recode(string(raw))), true
}

// Recode returns a line as [Text] shows it: bytes that are not UTF-8 are read as
// Windows-1252, and a NUL is made visible.
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

// texty reports whether few of the bytes are control characters that no text has. A run of
// NUL counts once, so that padding does not decide; a few never do.
func texty(raw []byte) bool {
	odd, n := 0, 0
	var last byte
	for i, c := range raw {
		if i > 0 && c == 0 && last == 0 {
			continue
		}
		last = c
		n++
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != 0x1b && c != '\v' && c != '\b' || c == 0x7f || !utf8.Valid(raw) && (c >= 0x80 && c < 0xa0) {
			odd++
		}
	}
	return odd <= fewOdd || 20*odd <= n
}

// fewOdd is how many control characters make no text binary, however short it is.
const fewOdd = 3

// wide is an encoding of two or four bytes for each unit.
type wide struct {
	mark  []byte
	size  int
	order binary.ByteOrder
}

// wideEncodings are in the order in which they are tried: the mark of UTF-32 begins with
// that of UTF-16.
var wideEncodings = []wide{
	{[]byte{0xff, 0xfe, 0, 0}, 4, binary.LittleEndian}, {[]byte{0, 0, 0xfe, 0xff}, 4, binary.BigEndian},
	{[]byte{0xff, 0xfe}, 2, binary.LittleEndian}, {[]byte{0xfe, 0xff}, 2, binary.BigEndian},
}

// decode reads a text; false where it is not of this encoding. Without the mark most
// characters must be ones that texts have.
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
	// Without a mark: bytes of a text in pairs look like letters of East Asia; a text has spaces,
	// line ends and signs of ASCII between its letters.
	return b.Bytes(), 20*odd <= n && 20*common >= n
}

// magic is the beginning of formats that are no text.
var magic = regexp.MustCompile(`(?s)^(\x89PNG|GIF8|\xff\xd8\xff|BM.{4}\x00|II\*\x00|MM\x00\*|RIFF|PK\x03\x04|PK\x05\x06|\x1f\x8b|BZh|\xfd7zXZ|7z\xbc\xaf|Rar!|\x28\xb5\x2f\xfd|%PDF|` +
	`\x7fELF|MZ|\xfe\xed\xfa|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe|\x00asm|!<arch>|[A-Z]{3}ite format 3\x00|wOFF|wOF2|OTTO|\x00\x01\x00\x00|true|OggS|ID3|\xff\xfb|fLaC|.{4}ftyp|\x1aE\xdf\xa3|` +
	`\xd0\xcf\x11\xe0|\x00\x00[\x01\x02]\x00|8BPS|\xed\xab\xee\xdb|\x93NUMPY|\x89HDF|PAR1|dex\n|icns|ttcf)`)

// Openings of programs within bytes that are no text. The short ones stand by chance in compressed data: they count
// where readable text follows, as far as their end or for readableRun characters.
var (
	openings      = [][]byte{[]byte("<?php"), []byte("<script"), []byte("<?="), []byte("<%="), []byte("<%@")}
	interpreted   = regexp.MustCompile(`^(\x{FEFF})?#!`)
	shortOpening  = len("<?=")
	openingCloses = map[byte]string{'?': "?>", '%': "%>"}
)

const readableRun = 16

// embedded reports whether a program stands within bytes that are no text.
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
		if i := slices.IndexFunc(openings, func(open []byte) bool { return bytes.HasPrefix(rest, open) }); i >= 0 && opened(openings[i], rest[len(openings[i]):]) {
			return true
		}
		rest = rest[1:]
	}
}

// opened reports whether readable text follows an opening.
func opened(open, rest []byte) bool {
	run := 0
	for run < len(rest) && run < 8*readableRun && (rest[run] >= ' ' && rest[run] < 0x7f || rest[run] == '\t' || rest[run] == '\n' || rest[run] == '\r') {
		run++
	}
	if len(open) > shortOpening {
		return run > 0 && (rest[0] == '>' || rest[0] <= ' ')
	}
	return run >= readableRun || bytes.Contains(rest[:run], []byte(openingCloses[open[1]]))
}

// lfsPointer is the file that stands in a repository for content that Git LFS keeps
// (https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md).
var lfsPointer = regexp.MustCompile(`^version https://(git-lfs|hawser)\.github\.com/spec/\S+\r?\n(ext-\d-\S+ \S+\r?\n)*oid \S+\r?\nsize \d+\s*$`)

// pointer reports whether a version is a pointer of Git LFS.
func pointer(content []byte) bool { return len(content) < 1024 && lfsPointer.Match(content) }

// Program reports whether a file that is no text may still be one that a program runs: its
// name is that of text, it is executable without being a known format, or a script is in it.
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
