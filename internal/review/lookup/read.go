package lookup

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Texts to a model about its requests.
const (
	sayRange  = "That range is none: from is 1 or more, and to is not before from."
	sayBeyond = "The file ends before that range. Its number of lines is %d."
	sayQuery  = "That cannot be searched for: a text is part of one line, an expression is of RE2, does not fit every line " +
		"and has no large repetitions, and neither has more than 200 bytes."
	sayGlob  = "That is no pattern of paths, or a longer one than 200 bytes. Examples: *.go, src/**/*.ts, internal/"
	sayNone  = "Nothing was found."
	sayMore  = "[there are more: narrow the search]"
	sayTimed = "[the time of the call is over: there may be more]"
	sayHeld  = "[little more may be read for this review: lines in files that were not read before may be left out]"
)

// maxGlob is the most bytes of a pattern of paths.
const maxGlob = 200

// nullable returns the schema of a value that may be null.
func nullable(kind string) ask.Schema { return ask.Schema{"type": []string{kind, "null"}} }

// meaning returns a schema with a description.
func meaning(schema ask.Schema, words string) ask.Schema {
	out := ask.Schema{"description": words}
	for k, v := range schema {
		out[k] = v
	}
	return out
}

type readArguments struct {
	Path string      `json:"path"`
	From *int        `json:"from"`
	To   *int        `json:"to"`
	Side domain.Side `json:"side"`
}

// showFile shows lines of a file.
func showFile(ctx context.Context, t *Toolbox, arguments string, out *sheet) string {
	a, ok := ReadArguments[readArguments](arguments)
	if a.Side == "" {
		a.Side = domain.Right
	}
	if !ok || a.Side != domain.Right && a.Side != domain.Left {
		return ask.ResultBadArguments
	}
	from := 1
	if a.From != nil {
		from = *a.From
	}
	to := from + toolLines - 1
	if a.To != nil {
		to = *a.To
	}
	if from < 1 || to < from {
		return sayRange
	}
	f, why := t.Open(ctx, a.Side, a.Path)
	switch {
	case why != "":
		return why
	case from > len(f.Lines):
		return fmt.Sprintf(sayBeyond, len(f.Lines))
	}
	to = min(to, len(f.Lines))
	note := strings.TrimLeft(fmt.Sprintf("%s (of %d lines)", f.symbol(from), len(f.Lines)), " ")
	last := out.show(f, note, from, to, anchor.MaxLine)
	if out.hits = max(last-from+1, 0); last > 0 && a.To == nil {
		to = len(f.Lines)
	}
	if last > 0 {
		out.left(last, to)
	}
	return ""
}

type listArguments struct {
	Folder string `json:"folder"`
}

// listFolder shows the names in a folder of the head.
func listFolder(ctx context.Context, t *Toolbox, arguments string, out *sheet) string {
	a, ok := ReadArguments[listArguments](arguments)
	if !ok {
		return ask.ResultBadArguments
	}
	folder := strings.TrimSuffix(a.Folder, "/")
	if folder == "." {
		folder = ""
	}
	if folder != "" || a.Folder == "/" {
		if diff.CheckPath(folder) != nil {
			return sayPath
		}
		e, err := t.folders.Entry(ctx, domain.Right, folder)
		if err != nil {
			return t.sentence(ctx, err, sayNoFolder)
		}
		if e.Mode != snapshot.ModeFolder {
			return sayFile
		}
	}
	entries, err := t.folders.List(ctx, folder, toolLines+1)
	if err != nil {
		return t.sentence(ctx, err, sayNoFolder)
	}
	for _, e := range entries {
		if !out.say(t.entryLine(e, folder)) {
			break
		}
		out.hits++
	}
	if out.hits == 0 && !out.full {
		out.say(sayNone)
	}
	return ""
}

// entryLine returns the line of a listing about an entry.
func (t *Toolbox) entryLine(e snapshot.Entry, folder string) string {
	name := change.CleanPath(strings.TrimPrefix(strings.TrimPrefix(e.Path, folder), "/"))
	switch {
	case e.Mode == snapshot.ModeFolder:
		return name + "/"
	case e.Mode == diff.ModeSymlink:
		return name + " (link)"
	case e.Mode == diff.ModeSubmodule:
		return name + " (submodule)"
	case change.Hides(t.Policy, e.Path):
		return name + " (excluded by the policy)"
	}
	return fmt.Sprintf("%s (%d bytes)", name, e.Size)
}

// SearchArguments are the arguments of the tool search.
type SearchArguments struct {
	Query string  `json:"query"`
	Kind  string  `json:"kind"`
	Glob  *string `json:"glob"`
}

// searchFiles shows the lines of the head that contain a text or match an expression. A line must also
// match without its secrets, because a match that needs the secret would reveal it.
func searchFiles(ctx context.Context, t *Toolbox, arguments string, out *sheet) string {
	a, ok := ReadArguments[SearchArguments](arguments)
	if !ok || a.Kind != "text" && a.Kind != "expression" {
		return ask.ResultBadArguments
	}
	query := snapshot.Containing
	if a.Kind == "expression" {
		query = snapshot.Matching
	}
	q, err := query(a.Query)
	if err != nil {
		return sayQuery
	}
	if a.Glob != nil && (*a.Glob == "" || len(*a.Glob) > maxGlob || !glob.Valid(*a.Glob)) {
		return sayGlob
	}
	q.Path, q.Under = t.within(a.Glob), underOf(a.Glob)
	hits, err := t.search.Search(ctx, q, maxRaw)
	if err != nil {
		return t.sentence(ctx, err, sayNone)
	}
	little := t.readable() < maxToolFile
	_, more := t.place(ctx, hits, placing{fits: q.Line, limit: toolHits}, out)
	return t.endPlaces(ctx, ending{more, little, sayNone}, out)
}

// maxRaw is how many lines a search returns; some of them are not shown. The description of the tool names
// it, because a result must not reveal the number of matches.
const maxRaw = 5 * toolHits

// within returns a filter for paths that match a pattern and that the policy does not exclude. Lines come
// file by file, so the filter keeps its last answer.
func (t *Toolbox) within(pattern *string) func(path string) bool {
	last, is := "", false
	return func(path string) bool {
		if path != last {
			last = path
			is = !change.Hides(t.Policy, path) && (pattern == nil || glob.Any([]string{*pattern}, path))
		}
		return is
	}
}

// underOf returns the file or folder in which all paths of a pattern stand, or "" if it is not known.
func underOf(pattern *string) string {
	if pattern == nil {
		return ""
	}
	p := strings.TrimPrefix(*pattern, "/")
	if at := strings.IndexAny(p, `*?[{\\`); at >= 0 {
		p = p[:strings.LastIndexByte(p[:at], '/')+1]
	}
	if !strings.Contains(p, "/") { // a name in any folder
		return ""
	}
	if p = strings.TrimSuffix(p, "/"); diff.CheckPath(p) != nil {
		return ""
	}
	return p
}

// maxFitted is the most bytes of a line that are matched, because a match cannot be interrupted.
const maxFitted = 64 << 10

// headOf returns the part of a line that is matched.
func headOf(line string) string { return line[:min(len(line), maxFitted)] }

// placing is how the lines of a search are shown.
type placing struct {
	fits    func(string) bool
	heading string // above the first place, "" for none
	limit   int    // places
	margin  int    // lines before and after each
}

// place shows the lines of a search that still match without their secrets. It returns their number, and
// whether there are more. The result depends only on such lines and on the files read before: a line that
// matches only with its secret changes nothing.
func (t *Toolbox) place(ctx context.Context, hits []snapshot.Match, p placing, out *sheet) (shown int, more bool) {
	until := map[string]int{} // path to the last line shown
	for _, h := range hits {
		if more || out.full || ctx.Err() != nil {
			break
		}
		f, why := t.Open(ctx, domain.Right, h.Path)
		switch {
		case why != "" || h.Line < 1 || h.Line > len(f.Lines) || !p.fits(headOf(f.Lines[h.Line-1])):
			continue
		case shown == p.limit:
			more = true
			continue
		case h.Line <= until[h.Path]:
			shown++
			continue
		case shown == 0 && p.heading != "":
			out.say(p.heading)
		}
		from := max(h.Line-p.margin, until[h.Path]+1, 1)
		if last := out.show(f, f.symbol(h.Line), from, h.Line+p.margin, toolWidth); last >= h.Line {
			until[h.Path] = last
			shown++
		}
	}
	out.hits += shown
	return shown, more
}

// ending is how a list of places ends.
type ending struct {
	more   bool   // places were left out
	little bool   // few files could be read
	none   string // if there is no place
}

// endPlaces ends a list of places.
func (t *Toolbox) endPlaces(ctx context.Context, e ending, out *sheet) string {
	switch {
	case ctx.Err() != nil && out.hits == 0:
		return ask.ResultTooSlow
	case ctx.Err() != nil:
		out.say(sayTimed)
	case e.more:
		out.say(sayMore)
	case out.hits == 0 && !out.full:
		out.say(e.none)
	}
	if e.little {
		out.say(sayHeld)
	}
	return ""
}
