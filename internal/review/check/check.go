// Package check runs the deterministic checks of a change: secrets, hidden Unicode, changed reviewer
// instructions, workflows, Dockerfiles, Go syntax, sources in lock files, leftover merge conflicts, and rules of people
// with a pattern. It also redacts secrets before code reaches a prompt.
//
// Everything from the change is data here. It is never executed, and its comments or files cannot turn a
// check off. Models, hosts, storage and the decision about the shown findings do not live here.
package check

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Source reads a file at the merge base (LEFT) or the head (RIGHT). It returns fs.ErrNotExist if the file
// is absent there.
type Source interface {
	Blob(ctx context.Context, side domain.Side, path string) ([]byte, error)
}

// Checker runs the checks. It is safe for concurrent use.
type Checker struct{ Scanner *Scanner }

// New makes a checker with its own scanner. It takes about 30 ms, so call it once.
func New() (*Checker, error) {
	s, err := NewScanner()
	if err != nil {
		return nil, err
	}
	return &Checker{Scanner: s}, nil
}

// Options select the reports of [Checker.Run]. Secrets are searched for and redacted in any case.
type Options struct {
	Secrets bool // report secrets
	Static  bool // report everything else
	// DigestKeys are the keys of [domain.Finding.SecretDigests], the newest first; eight at most count.
	DigestKeys [][]byte
	// Rules are the rules of people with a pattern. They are matched whatever Static is. LeftOut are the paths that they skip,
	// because the policy leaves them out.
	Rules   []Rule
	LeftOut []string
}

// Result holds the findings of the checks, and the files that they could not check.
type Result struct {
	Findings []domain.Finding // at most [MaxFindings], in the order of the diff, without values of secrets
	Redactor *Redactor        // has the values of all secrets of the diff

	Cut      int               // findings beyond [MaxFindings]
	Unread   map[string]string // path to the reason why a check did not read the file, or not all its findings are here
	Withheld map[string]string // path to the reason why no text of the file may be shown: not all its secrets can be replaced

	Unmatched map[string]string // id of a rule to the reason why it was not matched against the whole change
	// Switches maps paths to the added comments that switch findings of analysers off, as "path:line (word)".
	Switches map[string][]string

	// Unchecked lists the files that could not be checked within bounds. Even their secrets are unknown, so
	// these files must not be shown.
	Unchecked []string

	close func()
}

// Close ends the part of the redactor that learns further secrets. It still replaces those that it has
// learned.
func (r Result) Close() {
	if r.close != nil {
		r.close()
	}
}

// Run checks a diff. If the source is nil, checks that need whole files are left out. An error means that
// the checks are incomplete: the context ended, or the source failed with another error than
// fs.ErrNotExist.
func (c *Checker) Run(ctx context.Context, set *diff.Set, src Source, opt Options) (Result, error) {
	secrets, err := c.Scanner.scanSet(ctx, set, src)
	if err != nil {
		return Result{}, err
	}
	secrets.keys = opt.DigestKeys
	res := Result{Redactor: secrets.redactor, Unread: secrets.unread, Withheld: secrets.withheld,
		Switches: map[string][]string{}}
	var all []sighting
	rules := newRuleMatching(opt)
	for i, f := range set.Files {
		reportFile(ctx, f)
		seen, unread, err := c.file(ctx, f, src, opt, secrets)
		if err != nil {
			return Result{}, err
		}
		for j := range seen {
			seen[j].file = i
		}
		all = append(all, seen...)
		why, err := rules.file(ctx, i, f, src)
		if err != nil {
			return Result{}, err
		}
		if opt.Static {
			switches, err := analyserSwitches(ctx, f, src)
			if err != nil {
				return Result{}, err
			}
			if len(switches) > 0 {
				res.Switches[f.Path] = switches
			}
		}
		if unread = cmp.Or(unread, why); unread != "" {
			res.Unread[f.Path] = unread
		}
	}
	all, res.Unmatched = append(all, rules.sightings(set)...), rules.unmatched
	kept, rest := choose(all)
	for _, s := range kept {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		res.Findings = append(res.Findings, completeFinding(s.finding(), secrets.redactor))
	}
	res.Cut = len(rest)
	for _, s := range rest {
		res.Unread[set.Files[s.file].Path] = WhyCut
	}
	if opt.Secrets {
		for f, n := range secrets.unjudged {
			res.Cut += n
			res.Unread[f.Path] = WhyCut
		}
	}
	return res, nil
}

// file runs the checks of one file.
func (c *Checker) file(ctx context.Context, f *diff.File, src Source, opt Options, s *secrets) (seen []sighting, unread string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	var hits []secretHit
	if opt.Secrets {
		hits = s.hits[f]
	}
	if !opt.Static {
		return s.sightings(f, hits), "", nil
	}
	for _, check := range []func(context.Context, *diff.File, Source) (checkResult, error){
		hiddenUnicode, conflicts, workflow, workflowFaults, dockerfile, goSyntax, goPatterns, migrations, manifest, lockFile,
	} {
		l, err := check(ctx, f, src)
		if err != nil {
			return nil, "", err
		}
		l.faults, hits = mergeCredentials(l.faults, hits)
		reported := reportFaults(f, l.faults)
		seen = append(append(seen, l.seen...), reported.seen...)
		unread = cmp.Or(unread, l.unread, reported.unread)
	}
	return append(s.sightings(f, hits), seen...), unread, nil
}

// completeFinding fills in the common fields of findings of checks.
func completeFinding(f domain.Finding, r *Redactor) domain.Finding {
	f.Verdict, f.Confidence, f.State, f.Scope = domain.VerdictSkipped, 1, domain.FindingOpen, "introduced"
	f.Anchor.Quote = visible(r.Text(f.Anchor.Quote))
	for _, text := range []*string{&f.Subject, &f.FirstPlace} {
		if *text != "" { // it may be any length of text from outside, with secrets
			sum := sha256.Sum256([]byte(r.Text(*text)))
			*text = hex.EncodeToString(sum[:])
		}
	}
	f.Title, f.Explanation = clip.Runes(r.Text(f.Title), 80, "…"), r.Text(f.Explanation)
	return f
}

// maxQuote bounds the code that a finding quotes, in bytes.
const maxQuote = 4 << 10

// Place makes an anchor on lines of the new version, or at the file if the diff does not show the lines.
func Place(f *diff.File, first, last int) domain.Anchor {
	a := domain.Anchor{Path: f.Path, OldPath: f.OldPath, Side: domain.Right, Level: domain.AnchorFile}
	h, ok := f.Commentable(domain.Right, first)
	if !ok {
		return a
	}
	_, end, _ := h.Range(domain.Right)
	a.StartLine, a.EndLine, a.HunkID, a.Level = first, min(max(first, last), end), h.ID, domain.AnchorLine
	var quote []string
	left := maxQuote
	for _, l := range h.Lines {
		if l.New >= a.StartLine && l.New <= a.EndLine && left > 0 {
			quote = append(quote, clip.Bytes(l.Text, left))
			left -= len(l.Text) + 1
		}
	}
	a.Quote = strings.Join(quote, "\n")
	return a
}

// firstChange returns the anchor of a finding about a whole file: its first added line, else its first
// removed line, else the file.
func firstChange(f *diff.File) domain.Anchor {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				return Place(f, l.New, l.New)
			}
		}
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Delete {
				return removed(f, h, l)
			}
		}
	}
	return Place(f, 0, 0)
}

// removed returns the anchor of a removed line.
func removed(f *diff.File, h *diff.Hunk, l diff.Line) domain.Anchor {
	a := Place(f, 0, 0)
	if _, ok := f.Commentable(domain.Left, l.Old); ok {
		a.Side, a.StartLine, a.EndLine, a.HunkID, a.Level, a.Quote = domain.Left, l.Old, l.Old, h.ID, domain.AnchorLine,
			clip.Bytes(l.Text, maxQuote)
	}
	return a
}

// removal returns the anchor of a line of the older version, or of the first change if the change does not
// remove the line.
func removal(f *diff.File, line int) domain.Anchor {
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Delete && l.Old == line {
				return removed(f, h, l)
			}
		}
	}
	return firstChange(f)
}

// added calls fn for every added line. It returns the context's error once the context has ended.
func added(ctx context.Context, f *diff.File, fn func(diff.Line)) error {
	for _, h := range f.Hunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				fn(l)
			}
		}
	}
	return nil
}

func isAdded(f *diff.File, line int) bool {
	return slices.ContainsFunc(f.Hunks, func(h *diff.Hunk) bool { return h.Changed(domain.Right, line, line) })
}
