package check

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of the search in binary files. It reads runs of printable characters, as strings(1) finds them,
// that are long enough to hold a secret.
const (
	minRun      = 14
	maxRuns     = 1 << 20 // bytes of one file
	maxAllRuns  = 8 << 20 // bytes of all files of a change
	maxSameRuns = 50      // secrets of one file that are reported
)

// scanBinary searches the texts in a binary file for secrets that the base lacks. They are reported at the
// file, because it does not have lines.
func (s *Scanner) scanBinary(ctx context.Context, out *secrets, f *diff.File, src Source) error {
	if src == nil || f.Class != diff.ClassBinary || f.Status == diff.Deleted || len(f.Hunks) > 0 || f.Omitted != "" {
		return nil
	}
	raw, err := src.Blob(ctx, domain.Right, f.Path)
	if errors.Is(err, fs.ErrNotExist) { // beyond the bounds of the source
		out.unread[f.Path] = WhyBinary
		return nil
	} else if err != nil {
		return err
	}
	text, cut := printableRuns(raw)
	if out.binary += len(text); out.binary > maxAllRuns || cut {
		out.unread[f.Path] = WhyBinary
	}
	if out.binary > maxAllRuns {
		return nil
	}
	found, err := s.scan(ctx, f.Path, text)
	if err != nil || len(found) == 0 {
		return err
	}
	for _, secret := range found {
		out.redactor.add(secret)
	}
	if found, err = scan(ctx, s.fair, f.Path, text); err != nil {
		return err
	}
	before := ""
	if name := f.BasePath(); name != "" {
		old, err := src.Blob(ctx, domain.Left, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		before = string(old)
	}
	n := 0
	for _, secret := range found {
		if n < maxSameRuns && !s.isNamed(secret) && secret.ownGrade != doubtful && !strings.Contains(before, secret.value) {
			out.addHit(f, secretHit{rule: secret.RuleID, values: []string{secret.value}})
			n++
		}
	}
	return nil
}

// printableRuns returns the printable runs of bytes, and the runs of every other byte between NULs (UTF-16), one on
// each line. cut says that there are more.
func printableRuns(raw []byte) (text string, cut bool) {
	var b strings.Builder
	start := -1
	flush := func(end int) {
		if start >= 0 && end-start >= minRun {
			b.Write(raw[start:end])
			b.WriteByte('\n')
		}
		start = -1
	}
	for i, c := range raw {
		if b.Len() > maxRuns {
			return b.String(), true
		}
		if c >= ' ' && c < 0x7f || c == '\t' {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
	}
	flush(len(raw))
	for first := range 2 {
		var run []byte
		for i := first; i+1 < len(raw) && b.Len() <= maxRuns; i += 2 {
			if c := raw[i]; raw[i+1] == 0 && c >= ' ' && c < 0x7f {
				run = append(run, c)
				continue
			}
			if len(run) >= minRun {
				b.Write(run)
				b.WriteByte('\n')
			}
			run = run[:0]
		}
		if len(run) >= minRun {
			b.Write(run)
		}
	}
	return b.String(), b.Len() > maxRuns
}
