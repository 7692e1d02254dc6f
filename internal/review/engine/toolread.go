package engine

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

// Sentences to a model about what it asked for.
const (
	sayRange  = "That range is none: from is 1 or more, and to is not before from."
	sayBeyond = "The file ends before that range. Its number of lines is %d."
	sayQuery  = "That cannot be searched for: a text is part of one line, an expression is of RE2, does not fit every line and has no large repetitions, and neither has more than 200 bytes."
	sayGlob   = "That is no pattern of paths, or a longer one than 200 bytes. Examples: *.go, src/**/*.ts, internal/"
	sayNone   = "Nothing was found."
	sayMore   = "[there are more: narrow the search]"
	sayHeld   = "[little more may be read for this review: lines in files that were not read before may be left out]"
)

// maxGlob is how many bytes a pattern of paths may have.
const maxGlob = 200

// nullable is the schema of a value that may be left open.
func nullable(kind string) ask.Schema { return ask.Schema{"type": []string{kind, "null"}} }

// meaning is a schema with what its value means.
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
func showFile(ctx context.Context, t *toolbox, arguments string, out *sheet) string {
	a, ok := read[readArguments](arguments)
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
	to := from + toolLines
	if a.To != nil {
		to = *a.To
	}
	if from < 1 || to < from {
		return sayRange
	}
	f, why := t.open(ctx, a.Side, a.Path)
	switch {
	case why != "":
		return why
	case from > len(f.lines):
		return fmt.Sprintf(sayBeyond, len(f.lines))
	}
	to = min(to, len(f.lines))
	note := strings.TrimLeft(fmt.Sprintf("%s (of %d lines)", f.symbol(from), len(f.lines)), " ")
	last := out.show(f, note, from, to, anchor.MaxLine)
	out.hits = max(last-from+1, 0)
	return ""
}

type listArguments struct {
	Folder string `json:"folder"`
}

// listFolder shows what stands in a folder of the head.
func listFolder(ctx context.Context, t *toolbox, arguments string, out *sheet) string {
	a, ok := read[listArguments](arguments)
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

// entryLine is the line of a listing about an entry.
func (t *toolbox) entryLine(e snapshot.Entry, folder string) string {
	name := change.CleanPath(strings.TrimPrefix(strings.TrimPrefix(e.Path, folder), "/"))
	switch {
	case e.Mode == snapshot.ModeFolder:
		return name + "/"
	case e.Mode == diff.ModeSymlink:
		return name + " (link)"
	case e.Mode == diff.ModeSubmodule:
		return name + " (submodule)"
	case glob.Any(t.w.in.Policy.Paths.Exclude, e.Path):
		return name + " (excluded by the policy)"
	}
	return fmt.Sprintf("%s (%d bytes)", name, e.Size)
}

type searchArguments struct {
	Query string  `json:"query"`
	Kind  string  `json:"kind"`
	Glob  *string `json:"glob"`
}

// searchFiles shows the lines of the head that hold a text or match an expression. The
// line that a model sees must do so, too: that one does of which a secret was taken out
// would tell what the secret is.
func searchFiles(ctx context.Context, t *toolbox, arguments string, out *sheet) string {
	a, ok := read[searchArguments](arguments)
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
	q.Path = t.within(a.Glob)
	hits, err := t.search.Search(ctx, q, maxRaw)
	if err != nil {
		return t.sentence(ctx, err, sayNone)
	}
	return t.places(ctx, hits, q.Line, "", out)
}

// maxRaw is how many lines a search brings, of which some are not shown: what the tool
// is described by, as no result may say that there were so many.
const maxRaw = 5 * toolHits

// within says which files are searched: those of a pattern that the policy does not
// exclude. Lines come file by file, so the last answer is kept.
func (t *toolbox) within(pattern *string) func(path string) bool {
	last, is := "", false
	return func(path string) bool {
		if path != last {
			last = path
			is = !glob.Any(t.w.in.Policy.Paths.Exclude, path) && (pattern == nil || glob.Any([]string{*pattern}, path))
		}
		return is
	}
}

// maxFitted is how many bytes of a line are matched: nothing ends it while it goes on.
const maxFitted = 64 << 10

// headOf is as much of a line as is matched.
func headOf(line string) string { return line[:min(len(line), maxFitted)] }

// places shows lines that a search has found, as far as they still fit without their
// secrets, under a heading if there is one. Whatever it says depends on such lines alone,
// and on what was read before: a line that fits with a secret alone changes nothing.
func (t *toolbox) places(ctx context.Context, hits []snapshot.Match, fits func(string) bool, heading string, out *sheet) string {
	little := t.readable() < maxToolFile
	shown, more := 0, false
	for _, h := range hits {
		if more || out.full || ctx.Err() != nil {
			break
		}
		f, why := t.open(ctx, domain.Right, h.Path)
		switch {
		case why != "" || h.Line < 1 || h.Line > len(f.lines) || !fits(headOf(f.lines[h.Line-1])):
			continue
		case shown == toolHits:
			more = true
			continue
		case shown == 0 && heading != "":
			out.say(heading)
		}
		if out.show(f, f.symbol(h.Line), h.Line, h.Line, toolWidth) > 0 {
			shown++
		}
	}
	out.hits += shown
	switch {
	case ctx.Err() != nil && shown == 0:
		return ask.ResultTooSlow
	case more || ctx.Err() != nil:
		out.say(sayMore)
	case shown == 0 && !out.full:
		out.say(sayNone)
	}
	if little {
		out.say(sayHeld)
	}
	return ""
}
