package fix

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/lookup"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/snapshot"
)

// overlay is a source whose head has other contents for some files.
type overlay struct {
	change.Source
	files map[string][]byte
}

// Blob implements [change.Source].
func (o overlay) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if raw, ok := o.files[path]; ok && side == domain.Right {
		return raw, nil
	}
	return o.Source.Blob(ctx, side, path)
}

// older is a source whose merge base is the head of another one. Its head has other contents for some files.
type older struct{ overlay }

// Blob implements [change.Source].
func (o older) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if side == domain.Left {
		return o.Source.Blob(ctx, domain.Right, path)
	}
	return o.overlay.Blob(ctx, side, path)
}

// searchedOverlay is an overlay that can be searched: matches of changed files stand where their lines are now.
type searchedOverlay struct {
	overlay
	snapshot.Searcher
}

// Search implements [snapshot.Searcher]. It does not find lines that only the changed files have; models are shown those.
func (o searchedOverlay) Search(ctx context.Context, q snapshot.Query, limit int) ([]snapshot.Match, error) {
	found, err := o.Searcher.Search(ctx, q, limit)
	return slices.DeleteFunc(found, func(m snapshot.Match) bool {
		_, ok := o.files[m.Path]
		return ok
	}), err
}

// searcher returns the search of a source, or nil.
func searcher(src change.Source) snapshot.Searcher {
	switch s := src.(type) {
	case searchedOverlay:
		return s
	case snapshot.Searcher:
		return s
	}
	return nil
}

// version is the head with the edits of one fix, or of several ones.
type version struct {
	pairs []pair
	lines int // that are removed and added
	tools *lookup.Toolbox
}

// version applies patches to the head.
func (r *run) version(ctx context.Context, patches []patch) *version {
	by := map[string][]patch{}
	for _, p := range patches {
		by[p.doc.path] = append(by[p.doc.path], p)
	}
	v := &version{}
	files := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		before := by[name][0].doc
		raw := before.applied(by[name])
		p := pair{before, newDocument(name, raw, r.redact), nil}
		p.hunks = compare(p.before, p.after)
		v.lines += change.ChangedLines(p.hunks)
		v.pairs = append(v.pairs, p)
		files[name] = raw
	}
	var src change.Source = overlay{r.in.Source, files}
	if s, ok := r.in.Source.(snapshot.Searcher); ok {
		src = searchedOverlay{overlay{r.in.Source, files}, s}
	}
	bounds := &change.BoundedSource{Source: src}
	set := &diff.Set{Files: slices.Clone(r.clean.Files)}
	for i, f := range set.Files {
		if raw, ok := files[f.Path]; ok {
			file := *f
			base, _ := r.redacted.Blob(ctx, domain.Left, f.BasePath())
			file.Rewrite(base, []byte(r.redact(string(raw))))
			set.Files[i] = &file
		}
	}
	v.tools = r.toolbox(set, &check.RedactedSource{Source: bounds, Redactor: r.before.Redactor}, bounds)
	return v
}

// options returns the options of all runs of the checks: everything counts, whatever the policy reports.
func (r *run) options() check.Options {
	return check.Options{Secrets: true, Static: true, DigestKeys: [][]byte{r.key}, Rules: r.in.Rules}
}

// sign identifies a finding of a check without its line.
func sign(f domain.Finding) string {
	digests := ""
	if len(f.SecretDigests) > 0 {
		digests = f.SecretDigests[0]
	}
	return strings.Join([]string{f.RuleID, f.Anchor.Path, change.StripSpace(f.Anchor.Quote), f.Subject, digests}, "\x00")
}

// checked reports whether a check of this program reports the finding at the head, so that the check can decide whether it is gone.
func (r *run) checked(f domain.Finding) bool {
	return slices.ContainsFunc(r.before.Findings, func(o domain.Finding) bool { return sameFinding(f, o) })
}

func sameFinding(f, o domain.Finding) bool {
	if f.RuleID != o.RuleID || f.Anchor.Path != o.Anchor.Path {
		return false
	}
	return f.Anchor.StartLine <= o.Anchor.EndLine && o.Anchor.StartLine <= f.Anchor.EndLine ||
		change.StripSpace(f.Anchor.Quote) == change.StripSpace(o.Anchor.Quote)
}

// static runs the deterministic checks over a version: as the next review will see it, against the merge base, and the edits by
// themselves. It returns why the version fails, or "", and the findings of the first run.
func (r *run) static(ctx context.Context, v *version) (why Reason, path string, after []domain.Finding, err error) {
	for _, p := range v.pairs {
		if why := hides(p); why != "" {
			return why, p.after.path, nil, nil
		}
	}
	next, own := &diff.Set{}, &diff.Set{}
	files := map[string][]byte{}
	for _, p := range v.pairs {
		files[p.after.path] = p.after.raw
		f := diff.File{Path: p.after.path, Status: diff.Modified, Class: p.before.class, Language: p.before.language}
		alone := f
		alone.Rewrite(p.before.raw, p.after.raw)
		own.Files = append(own.Files, &alone)
		if known := r.set.File(p.after.path); known != nil {
			f = *known
		}
		base, err := r.bounds.Blob(ctx, domain.Left, f.BasePath())
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil) {
			return "", "", nil, err
		}
		f.Rewrite(base, p.after.raw)
		next.Files = append(next.Files, &f)
	}
	src := overlay{r.bounds, files}
	res, err := r.deps.Checks.Run(ctx, next, src, r.options())
	if err != nil {
		return "", "", nil, err
	}
	res.Close()
	alone, err := r.deps.Checks.Run(ctx, own, older{src}, r.options())
	if err != nil {
		return "", "", nil, err
	}
	alone.Close()
	had := map[string]int{}
	for _, f := range r.before.Findings {
		had[sign(f)]++
	}
	seen := maps.Clone(had)
	for _, f := range res.Findings {
		if had[sign(f)]--; had[sign(f)] < 0 {
			return kindOf(f), f.Anchor.Path, nil, nil
		}
	}
	for _, f := range alone.Findings {
		if seen[sign(f)] == 0 {
			return kindOf(f), f.Anchor.Path, nil, nil
		}
	}
	for name, words := range alone.Switches {
		if len(words) > 0 {
			return AddsSwitch, name, nil, nil
		}
	}
	for _, p := range v.pairs {
		name := p.after.path
		if res.Withheld[name] != "" || slices.Contains(res.Unchecked, name) || slices.Contains(alone.Unchecked, name) ||
			res.Unread[name] != "" && r.before.Unread[name] == "" {
			return Unchecked, name, nil, nil
		}
	}
	if res.Cut > r.before.Cut || alone.Cut > 0 {
		return Unchecked, "", nil, nil
	}
	return "", "", res.Findings, nil
}

// named matches a literal that a name calls a secret, with a digit in it. The checks of changes report such a value only if it looks
// random; a fix has no reason to write one.
var named = regexp.MustCompile(`(?i)(?:passw(?:or)?d|passwd|pwd|secret|token|api_?key|private_?key|access_?key|credential)\w*["']?\s*` +
	`(?:string\s*)?(?::=|=>|[:=(,])\s*["'\x60][^"'\x60\s${}<>%]*[0-9][^"'\x60\s${}<>%]*["'\x60]`)

// lineBreaks end a comment in JavaScript, and no line on a page.
const lineBreaks = "\u2028\u2029"

// hides returns why the new lines of a file must not be written, whatever the checks say: they have invisible characters or the
// form of a secret.
func hides(p pair) Reason {
	removed, added := p.sides()
	gone := strings.Join(at(p.before.lines, removed), "\n")
	for _, l := range at(p.after.lines, added) {
		if change.StripInvisible(l) != l && !strings.Contains(gone, l) && !onlyControls(l, gone) {
			return AddsHidden
		}
		if strings.ContainsAny(l, lineBreaks) && !strings.ContainsAny(gone, lineBreaks) {
			return AddsHidden
		}
	}
	marks := func(s string) int { return strings.Count(secret.Scrub(s), secret.Redacted) }
	fresh := strings.Join(at(p.after.lines, added), "\n")
	if marks(fresh) > marks(gone) || len(named.FindAllStringIndex(fresh, -1)) > len(named.FindAllStringIndex(gone, -1)) {
		return AddsSecret
	}
	return ""
}

// onlyControls reports whether every invisible character of a line stands in a text, too.
func onlyControls(line, text string) bool {
	for _, c := range line {
		if s := string(c); change.StripInvisible(s) != s && !strings.Contains(text, s) {
			return false
		}
	}
	return true
}

// kindOf returns the reason for a new finding of a check.
func kindOf(f domain.Finding) Reason {
	switch {
	case f.Origin == domain.OriginSecret || f.Category == domain.CategorySecret:
		return AddsSecret
	case strings.HasPrefix(f.RuleID, "assay/unicode-"):
		return AddsHidden
	case f.RuleID == "assay/go-syntax":
		return BreaksSyntax
	}
	return AddsFinding
}

// gone reports whether a finding of a check is not reported any more: fewer findings of its rule stand in the file, and fewer of
// each of its signs.
func (r *run) gone(f domain.Finding, after []domain.Finding) bool {
	number := func(list []domain.Finding, is func(domain.Finding) bool) (n int) {
		for _, o := range list {
			n += count(is(o))
		}
		return n
	}
	fewer := func(is func(domain.Finding) bool) bool { return number(after, is) < number(r.before.Findings, is) }
	if !fewer(func(o domain.Finding) bool { return o.RuleID == f.RuleID && o.Anchor.Path == f.Anchor.Path }) {
		return false
	}
	return !slices.ContainsFunc(r.before.Findings, func(own domain.Finding) bool {
		return sameFinding(f, own) && !fewer(func(o domain.Finding) bool { return sign(o) == sign(own) })
	})
}
