// Package hunkcodec packs the changed lines of a file for a row of the database, and unpacks them again.
//
// It does not decide which changes are stored and who may see them.
package hunkcodec

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of one packed file. Lines beyond them are left out, from the end.
const (
	maxPackedText  = 256 << 10 // bytes of lines
	maxPackedLines = 4000
	maxPackedLine  = 4 << 10 // bytes of one line
	// maxPacked bounds unpacked data: JSON writes a byte as six at most, and a line has its numbers.
	maxPacked = 6*maxPackedText + 128*maxPackedLines + 1<<20
)

// Packed holds the changed lines of a file, small enough for a row.
type Packed struct {
	Hunks []byte // for [Unpack]
	Text  int    // bytes of the packed lines
	Cut   bool   // some lines were left out or cut
}

// Pack packs the hunks of a file, up to 256 KiB, 4,000 lines and most bytes of lines. A hunk that does not
// fit is cut at the bound. A line longer than 4 KiB is cut too.
func Pack(hunks []*diff.Hunk, most int) (Packed, error) {
	var p Packed
	most = min(most, maxPackedText)
	lines, taken := 0, []*diff.Hunk{}
	for _, h := range hunks {
		part := *h
		part.Section, part.Lines = clip.Bytes(h.Section, maxPackedLine), nil
		for _, l := range h.Lines {
			text := clip.Bytes(l.Text, maxPackedLine)
			if lines == maxPackedLines || p.Text+len(text) > most {
				p.Cut = true
				break
			}
			p.Cut = p.Cut || len(text) < len(l.Text)
			l.Text = text
			lines, p.Text = lines+1, p.Text+len(text)
			part.Lines = append(part.Lines, l)
		}
		if len(part.Lines) == 0 && len(h.Lines) > 0 {
			break
		}
		taken = append(taken, &part)
	}
	raw, err := json.Marshal(taken)
	if err != nil {
		return p, err
	}
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	if _, err := w.Write(raw); err != nil {
		return p, err
	}
	err = w.Close()
	p.Hunks = out.Bytes()
	return p, err
}

// Unpack reads the output of [Pack].
func Unpack(packed []byte) ([]*diff.Hunk, error) {
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("packed lines: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxPacked+1))
	if err != nil {
		return nil, fmt.Errorf("packed lines: %w", err)
	}
	if len(raw) > maxPacked {
		return nil, errs.New(errs.TooLarge, "lines_too_large", "The packed lines are larger than any that were packed.")
	}
	var out []*diff.Hunk
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("packed lines: %w", err)
	}
	return out, nil
}
