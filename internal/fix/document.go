package fix

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// maxFile is the most bytes of a file that is edited (design choice: far above files that people write).
const maxFile = 512 << 10

// document is one version of a file.
type document struct {
	path, language string
	class          diff.Class
	raw            []byte
	lines          []string // without their ends
	ends           []string // of each line: "\n", "\r\n", or "" at the end of the file
	shown          []string // the lines as models see them: without secrets
	code, bare     string   // the raw text without comments, and without comments and strings; as long as the text
}

// newDocument reads a text in UTF-8. clean removes the secrets and keeps the number of lines.
func newDocument(path string, raw []byte, clean func(string) string) *document {
	class, language := diff.Classify(path, raw)
	d := &document{path: path, language: language, class: class, raw: raw}
	for line := range strings.Lines(string(raw)) {
		text := strings.TrimSuffix(line, "\n")
		text = strings.TrimSuffix(text, "\r")
		d.lines, d.ends = append(d.lines, text), append(d.ends, line[len(text):])
	}
	d.shown = strings.Split(clean(strings.Join(d.lines, "\n")), "\n")
	if len(d.shown) != max(len(d.lines), 1) { // a cleaner that loses lines: nothing of the file can be matched
		d.shown = make([]string, len(d.lines))
	}
	d.code, d.bare = anchor.Blank(language, strings.Join(d.lines, "\n"))
	return d
}

// isText reports whether a content is a text in UTF-8 without NUL, within the bound.
func isText(raw []byte) bool {
	return len(raw) <= maxFile && utf8.Valid(raw) && !slices.Contains(raw, 0)
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// codeLines returns the lines without comments.
func (d *document) codeLines() []string { return strings.Split(d.code, "\n") }

// bareLines returns the lines without comments and strings.
func (d *document) bareLines() []string { return strings.Split(d.bare, "\n") }

// patch is an edit on its way: whole lines of a document are replaced.
type patch struct {
	doc        *document
	start, end int      // 1-based, inclusive, at the head
	lines      []string // the new lines; none deletes
}

// overlaps reports whether two patches change the same lines of one file.
func (p patch) overlaps(o patch) bool {
	return p.doc.path == o.doc.path && p.start <= o.end && o.start <= p.end
}

// edit returns the stored form.
func (p patch) edit() Edit {
	return Edit{Path: p.doc.path, Start: p.start, End: p.end, Removed: strings.Join(p.doc.shown[p.start-1:p.end], "\n"),
		Replacement: strings.Join(p.lines, "\n"), Delete: len(p.lines) == 0}
}

// locate finds a search text in the text that the model saw, and returns the lines that its replacement changes.
func (d *document) locate(search, replace string) (patch, Reason) {
	search, replace = strings.ReplaceAll(search, "\r\n", "\n"), strings.ReplaceAll(replace, "\r\n", "\n")
	text := strings.Join(d.shown, "\n") + "\n"
	if strings.TrimSpace(search) == "" {
		return patch{}, SearchMissing
	}
	from := strings.Index(text, search)
	if from < 0 { // models see hidden characters as escapes
		search, replace = change.UnescapeInvisible(search), change.UnescapeInvisible(replace)
		from = strings.Index(text, search)
	}
	if from < 0 {
		return patch{}, SearchMissing
	}
	if strings.Contains(text[from+1:], search) {
		return patch{}, SearchAmbiguous
	}
	to := from + len(search)
	if text = text[:len(text)-1]; to > len(text) { // the end of the file
		to, replace = len(text), strings.TrimSuffix(replace, "\n")
	}
	begin := strings.LastIndexByte(text[:from], '\n') + 1
	stop := len(text)
	if i := strings.IndexByte(text[to:], '\n'); i >= 0 {
		stop = to + i
	}
	first := strings.Count(text[:begin], "\n") // index of the first line
	before := strings.Split(text[begin:stop], "\n")
	after := strings.Split(text[begin:from]+replace+text[to:stop], "\n")
	if replace == "" && from == begin && to == stop {
		after = nil
	}
	p, why := d.trimmed(first, before, after)
	if why == "" && slices.ContainsFunc(p.lines, func(l string) bool { return strings.Contains(l, placeholder) }) &&
		!strings.Contains(string(d.raw), placeholder) {
		return patch{}, Redacted
	}
	return p, why
}

// placeholder begins what stands in place of a secret; see [check.Redactor].
const placeholder = "[redacted:"

// trimmed returns the patch without the lines that stay at its beginning and end. An insertion keeps one line beside it, because
// an edit replaces lines.
func (d *document) trimmed(first int, before, after []string) (patch, Reason) {
	same := 0
	for same < len(before) && same < len(after) && before[same] == after[same] {
		same++
	}
	tail := 0
	for tail < len(before)-same && tail < len(after)-same && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	if len(before) == len(after) && same == len(before) {
		return patch{}, NoCode
	}
	if same+tail == len(before) { // a pure insertion
		hides := func(i int) bool { return strings.Contains(before[i], placeholder) }
		if same > 0 && (tail == 0 || !hides(same-1)) {
			same--
		} else {
			tail--
		}
	}
	return patch{doc: d, start: first + same + 1, end: first + len(before) - tail, lines: slices.Clone(after[same : len(after)-tail])}, ""
}

// applied returns the content with patches of this document, which do not overlap.
func (d *document) applied(patches []patch) []byte {
	list := slices.Clone(patches)
	slices.SortFunc(list, func(a, b patch) int { return a.start - b.start })
	usual := "\n"
	if i := slices.IndexFunc(d.ends, func(e string) bool { return e != "" }); i >= 0 {
		usual = d.ends[i]
	}
	var b strings.Builder
	at := 0
	for _, p := range list {
		for ; at < p.start-1; at++ {
			b.WriteString(d.lines[at] + d.ends[at])
		}
		for i, l := range p.lines {
			end := usual
			if i == len(p.lines)-1 {
				end = d.ends[p.end-1]
			}
			b.WriteString(l + end)
		}
		at = p.end
	}
	for ; at < len(d.lines); at++ {
		b.WriteString(d.lines[at] + d.ends[at])
	}
	return []byte(b.String())
}

// pair is one edited file before and after the edits.
type pair struct {
	before, after *document
	hunks         []*diff.Hunk // from the head to the new content
}

// sides collects the changed lines of a pair: numbers of removed ones at the head and of added ones in the new content, 1-based.
func (p pair) sides() (removed, added []int) {
	for _, h := range p.hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case diff.Delete:
				removed = append(removed, l.Old)
			case diff.Add:
				added = append(added, l.New)
			}
		}
	}
	return removed, added
}

// stretch is a run of changed lines without an unchanged one between them: numbers of removed lines at the head and of added ones
// in the new content, and the line of the head at which it stands.
type stretch struct {
	at             int
	removed, added []int
}

// stretches returns the runs of changed lines.
func (p pair) stretches() (out []stretch) {
	for _, h := range p.hunks {
		var run stretch
		last := max(h.OldStart-1, 1)
		for _, l := range append(slices.Clone(h.Lines), diff.Line{Op: diff.Context}) {
			switch l.Op {
			case diff.Delete:
				run.removed, last = append(run.removed, l.Old), l.Old
			case diff.Add:
				run.added = append(run.added, l.New)
			default:
				if run.at = last; len(run.removed) > 0 {
					run.at = run.removed[0]
				}
				if len(run.removed)+len(run.added) > 0 {
					out = append(out, run)
				}
				run, last = stretch{}, l.Old
			}
		}
	}
	return out
}

// loses reports whether a stretch has fewer lines of a kind after the change than before. A line that the change moves is not lost.
func (p pair) loses(before, after func(line int) bool) bool {
	_, added := p.sides()
	moved := map[string]int{}
	for _, n := range added {
		if after(n) {
			moved[change.StripSpace(strings.Join(at(p.after.lines, []int{n}), ""))]++
		}
	}
	for _, s := range p.stretches() {
		lost := 0
		for _, n := range s.removed {
			if text := change.StripSpace(strings.Join(at(p.before.lines, []int{n}), "")); before(n) && moved[text] > 0 {
				moved[text]--
			} else if before(n) {
				lost++
			}
		}
		for _, n := range s.added {
			if text := change.StripSpace(strings.Join(at(p.after.lines, []int{n}), "")); after(n) && moved[text] > 0 {
				moved[text]--
				lost--
			}
		}
		if lost > 0 {
			return true
		}
	}
	return false
}

// matching returns a test of lines by an expression.
func matching(re *regexp.Regexp, lines []string) func(int) bool {
	return func(n int) bool { return n >= 1 && n <= len(lines) && re.MatchString(lines[n-1]) }
}

// around returns the numbers of the added lines, or of the lines beside a cut if nothing is added there.
func (p pair) around() (out []int) {
	for _, h := range p.hunks {
		n := len(out)
		for _, l := range h.Lines {
			if l.Op == diff.Add {
				out = append(out, l.New)
			}
		}
		if first, last, ok := h.Range(domain.Right); ok && len(out) == n {
			next := first
			for _, l := range h.Lines {
				if l.Op == diff.Delete {
					break
				}
				next = l.New
			}
			out = append(out, next, min(next+1, last))
		}
	}
	return out
}

// at returns lines of a text by their numbers; numbers outside it are left out.
func at(lines []string, numbers []int) (out []string) {
	for _, n := range numbers {
		if n >= 1 && n <= len(lines) {
			out = append(out, lines[n-1])
		}
	}
	return out
}

// contents applies edits to the files of a source. The digests of the files before and after are those of known, if it has the path.
func contents(ctx context.Context, src change.Source, edits []Edit) (map[string]*document, map[string][]patch, error) {
	docs, patches := map[string]*document{}, map[string][]patch{}
	for _, e := range edits {
		if docs[e.Path] == nil {
			raw, err := src.Blob(ctx, domain.Right, e.Path)
			if err != nil {
				return nil, nil, err
			}
			docs[e.Path] = newDocument(e.Path, raw, func(s string) string { return s })
		}
		d := docs[e.Path]
		p := patch{doc: d, start: e.Start, end: e.End}
		if !e.Delete {
			p.lines = strings.Split(e.Replacement, "\n")
		}
		if e.Start < 1 || e.End < e.Start || e.End > len(d.lines) || slices.ContainsFunc(patches[e.Path], p.overlaps) {
			return nil, nil, errMoved
		}
		patches[e.Path] = append(patches[e.Path], p)
	}
	return docs, patches, nil
}

// compare returns the hunks between two versions of a file.
func compare(before, after *document) []*diff.Hunk { return diff.Compare(before.raw, after.raw) }
