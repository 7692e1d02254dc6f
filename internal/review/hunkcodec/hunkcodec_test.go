package hunkcodec_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/hunkcodec"
)

// Packed hunks unpack unchanged, with the numbers of both sides. Hunks beyond a bound are left out from
// the end, and Cut says so.
func TestPack(t *testing.T) {
	t.Parallel()
	hunk := func(lines ...diff.Line) *diff.Hunk {
		return &diff.Hunk{ID: "h", OldStart: 3, OldLines: 2, NewStart: 3, NewLines: 3, Section: "func f()", Lines: lines}
	}
	small := []*diff.Hunk{hunk(diff.Line{Op: diff.Context, Old: 3, New: 3, Text: "a\x00\"<"}, diff.Line{Op: diff.Add, New: 4, Text: "ü", NoEOL: true}), hunk()}
	p, err := hunkcodec.Pack(small, 1<<20)
	if err != nil || p.Cut || p.Text != 6 {
		t.Fatalf("%+v, %v", p, err)
	}
	back, err := hunkcodec.Unpack(p.Hunks)
	if err != nil || len(back) != 2 || !reflect.DeepEqual(back[0], small[0]) {
		t.Fatalf("%+v, %v", back, err)
	}
	many := hunk()
	for i := range 5000 {
		many.Lines = append(many.Lines, diff.Line{Op: diff.Add, New: i + 1, Text: fmt.Sprint(i)})
	}
	for name, tt := range map[string]struct {
		hunks       []*diff.Hunk
		most, lines int
	}{
		"lines":        {[]*diff.Hunk{many, hunk(diff.Line{Text: "last"})}, 1 << 20, 4000},
		"bytes":        {[]*diff.Hunk{hunk(diff.Line{Text: strings.Repeat("a", 60)}, diff.Line{Text: strings.Repeat("b", 60)})}, 100, 1},
		"nothing left": {[]*diff.Hunk{hunk(diff.Line{Text: "a"})}, 0, 0},
		"a long line":  {[]*diff.Hunk{hunk(diff.Line{Text: strings.Repeat("ü", 1<<20)})}, 1 << 20, 1},
		"all of them":  {[]*diff.Hunk{hunk(slicesOf(diff.Line{Text: strings.Repeat("\x01", 4<<10)}, 100)...)}, 1 << 30, 64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := hunkcodec.Pack(tt.hunks, tt.most)
			if err != nil || !p.Cut || p.Text > 256<<10 {
				t.Fatalf("cut %v, %d bytes, %v", p.Cut, p.Text, err)
			}
			back, err := hunkcodec.Unpack(p.Hunks)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, h := range back {
				n += len(h.Lines)
			}
			if n != tt.lines {
				t.Errorf("%d lines, want %d", n, tt.lines)
			}
		})
	}
}

func slicesOf(l diff.Line, n int) (out []diff.Line) {
	for range n {
		out = append(out, l)
	}
	return out
}

// Data that is not packed, or unpacks to more than Pack accepts, is refused.
func TestUnpackRefuses(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	w := zlib.NewWriter(&bomb)
	for range 8 {
		_, _ = w.Write(make([]byte, 1<<20))
	}
	_ = w.Close()
	for name, raw := range map[string][]byte{"empty": nil, "no zlib": []byte("{}"), "a bomb": bomb.Bytes(), "torn": bomb.Bytes()[:10]} {
		if got, err := hunkcodec.Unpack(raw); err == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	p, err := hunkcodec.Pack([]*diff.Hunk{{Lines: []diff.Line{{Op: diff.Add, New: 1, Text: "a"}}}}, 100)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.Hunks)
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = hunkcodec.Unpack(raw) })
}
