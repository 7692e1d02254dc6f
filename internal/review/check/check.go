// Package check runs the deterministic checks of a change: secrets, hidden
// Unicode, changed reviewer instructions, CI permissions, Go syntax and left
// merge conflicts. It also redacts secrets before code reaches a prompt.
//
// Everything from the change is data here: nothing of it is executed and none of
// its comments or files can turn a check off. Models, hosts, storage and the
// decision what is shown do not live here.
package check

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Source reads a file at the merge base (LEFT) or the head (RIGHT). It returns
// fs.ErrNotExist for a file that is absent there.
type Source interface {
	Blob(ctx context.Context, side domain.Side, path string) ([]byte, error)
}

// Checker runs the checks. It is safe for concurrent use.
type Checker struct{ Scanner *Scanner }

// New makes a checker with a scanner of its own (about 30 ms); make it once.
func New() (*Checker, error) {
	s, err := NewScanner()
	if err != nil {
		return nil, err
	}
	return &Checker{Scanner: s}, nil
}

// Options choose what [Checker.Run] reports. Secrets are searched for and
// redacted in any case.
type Options struct {
	Secrets bool // report secrets
	Static  bool // report everything else
}

// Result is what the checks found.
type Result struct {
	Findings []domain.Finding // in the order of the diff; no value of a secret is in it
	Redactor *Redactor        // knows the values of all secrets of the diff
}

// Run checks a diff. The source may be nil: checks that need whole files are
// then left out. An error means that checks are incomplete: the context ended or
// the source failed with anything but fs.ErrNotExist.
func (c *Checker) Run(ctx context.Context, set *diff.Set, src Source, opt Options) (Result, error) {
	hits, redactor, err := c.Scanner.scanSet(ctx, set)
	if err != nil {
		return Result{}, err
	}
	res := Result{Redactor: redactor}
	for _, f := range set.Files {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if opt.Secrets {
			res.Findings = append(res.Findings, secretFindings(f, hits[f], redactor)...)
		}
		if !opt.Static {
			continue
		}
		for _, check := range []func(context.Context, *diff.File, Source) ([]domain.Finding, error){
			hiddenUnicode, instructions, conflicts, workflow, goSyntax,
		} {
			found, err := check(ctx, f, src)
			if err != nil {
				return Result{}, err
			}
			res.Findings = append(res.Findings, found...)
		}
	}
	for i := range res.Findings {
		f := &res.Findings[i]
		f.Verdict, f.Confidence, f.State, f.Scope = domain.VerdictSkipped, 1, domain.FindingOpen, "introduced"
		f.Anchor.Quote = visible(redactor.Text(f.Anchor.Quote))
		f.Title = clip.Runes(f.Title, 80, "…")
	}
	return res, nil
}

// place makes an anchor on lines of the new version; lines that the diff does
// not show give an anchor at the file.
func place(f *diff.File, first, last int) domain.Anchor {
	a := domain.Anchor{Path: f.Path, OldPath: f.OldPath, Side: domain.Right, Level: domain.AnchorFile}
	h, ok := f.Commentable(domain.Right, first)
	if !ok {
		return a
	}
	_, end, _ := h.Range(domain.Right)
	a.StartLine, a.EndLine, a.HunkID, a.Level = first, min(max(first, last), end), h.ID, domain.AnchorLine
	var quote []string
	for _, l := range h.Lines {
		if l.New >= a.StartLine && l.New <= a.EndLine {
			quote = append(quote, l.Text)
		}
	}
	a.Quote = strings.Join(quote, "\n")
	return a
}

// firstChange is the anchor of a finding about a file as a whole: its first
// added line, else its first removed line, else the file.
func firstChange(f *diff.File) domain.Anchor {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				return place(f, l.New, l.New)
			}
		}
	}
	a := place(f, 0, 0)
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Delete {
				continue
			}
			if _, ok := f.Commentable(domain.Left, l.Old); ok {
				a.Side, a.StartLine, a.EndLine, a.HunkID, a.Level, a.Quote = domain.Left, l.Old, l.Old, h.ID, domain.AnchorLine, l.Text
			}
			return a
		}
	}
	return a
}

// added calls fn for every added line.
func added(f *diff.File, fn func(h *diff.Hunk, l diff.Line)) {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				fn(h, l)
			}
		}
	}
}

func isAdded(f *diff.File, line int) bool {
	return slices.ContainsFunc(f.Hunks, func(h *diff.Hunk) bool { return h.Changed(domain.Right, line, line) })
}
