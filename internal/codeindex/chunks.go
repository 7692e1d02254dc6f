package codeindex

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Symbol is a definition in a file.
type Symbol struct {
	Name      string `json:"n"` // with its class or receiver: Type.Func
	Kind      string `json:"k"` // func, method, type or value
	Start     int    `json:"s"` // 1-based
	End       int    `json:"e"` // inclusive
	Signature string `json:"g"` // its first line
}

// base returns the name without the class or receiver.
func (s Symbol) base() string { return structure.Symbol{Name: s.Name}.Base() }

// chunk is a run of lines that is found as one.
type chunk struct {
	Start int `json:"s"` // 1-based
	End   int `json:"e"` // inclusive
}

// content is a file as the index keeps it.
type content struct {
	Language string   `json:"language"`
	Symbols  []Symbol `json:"symbols"`
	Chunks   []chunk  `json:"chunks"`
	text     string
	lines    []string // of text
}

// readerVersion is part of the name of a stored content. A change of how files are cut needs another one.
const readerVersion = "1"

// blobName returns the name of a stored content. The language is the one that the name of the file has.
func blobName(language, oid string) string { return readerVersion + ":" + language + ":" + oid }

// read cuts a file into chunks. The structure readers bound their own work.
func read(language string, text []byte) content {
	c := content{Language: language, text: string(text), lines: linesOf(string(text))}
	for _, d := range structure.Contracts(language, text) {
		s := Symbol{Name: clip.Bytes(d.Name, 3*maxWord), Kind: string(d.Kind), Start: d.Start, End: min(d.End, len(c.lines))}
		if s.Start < 1 || s.Start > s.End {
			continue
		}
		if d.Kind == structure.KindFunc && d.Owner() != "" {
			s.Kind = "method"
		}
		s.Signature = clip.Bytes(strings.TrimSpace(c.lines[s.Start-1]), 200)
		c.Symbols = append(c.Symbols, s)
	}
	slices.SortStableFunc(c.Symbols, func(a, b Symbol) int { return cmp.Compare(a.Start, b.Start) })
	c.Chunks = cut(c.lines, c.Symbols)
	return c
}

func linesOf(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// cut returns the chunks of a file: one begins at each definition of several lines, with the comment above it, and after
// chunkLines lines. The first definition joins a short beginning of the file.
func cut(lines []string, symbols []Symbol) (out []chunk) {
	begins := map[int]bool{}
	for _, s := range symbols {
		if s.End-s.Start < 2 {
			continue
		}
		at := s.Start
		for at > 1 && isComment(lines[at-2]) {
			at--
		}
		begins[at] = true
	}
	start := 1
	add := func(end int) {
		if end >= start && len(out) < maxChunks {
			out = append(out, chunk{start, end})
		}
		start = end + 1
	}
	for i := range lines {
		if line := i + 1; line > start && (begins[line] && (line > preambleLines || len(out) > 0 || begins[start]) || line-start >= chunkLines) {
			add(line - 1)
		}
	}
	add(len(lines))
	return out
}

// isComment reports whether a line looks like a comment, a decorator or an annotation.
func isComment(line string) bool {
	line = strings.TrimSpace(line)
	for _, sign := range []string{"//", "#", "/*", "*", "--", `"""`, "@", ";;"} {
		if strings.HasPrefix(line, sign) {
			return true
		}
	}
	return false
}

// enclosing returns the innermost definition around a line, or false.
func (c content) enclosing(line int) (out Symbol, found bool) {
	for _, s := range c.Symbols {
		if s.Start > line {
			break
		}
		if s.End >= line {
			out, found = s, true
		}
	}
	return out, found
}

// pack returns the stored form: a line of JSON and the text, packed with gzip.
func (c content) pack() ([]byte, error) {
	head, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(z, string(head)+"\n"+c.text)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// maxPacked bounds a content that is unpacked: the text, and JSON about each line.
const maxPacked = 16 << 20

// unpack reads the stored form of a content.
func unpack(packed []byte) (c content, err error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return c, err
	}
	raw, err := io.ReadAll(io.LimitReader(z, maxPacked))
	if err != nil {
		return c, err
	}
	head, text, _ := bytes.Cut(raw, []byte("\n"))
	if err := json.Unmarshal(head, &c); err != nil {
		return c, err
	}
	c.text = string(text)
	c.lines = linesOf(c.text)
	for _, k := range c.Chunks {
		if k.Start < 1 || k.Start > k.End || k.End > len(c.lines) {
			return c, errors.New("a stored chunk is outside its file")
		}
	}
	return c, nil
}
