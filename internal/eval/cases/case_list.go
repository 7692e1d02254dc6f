package cases

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxLine is the most bytes of a case in a list.
const maxLine = 1 << 20

// introducing is the kind of a case whose commit brought its defect in.
const introducing = "introducing"

// item is a line of a list.
type item struct {
	ID, Kind, Repo, Language, Licence, Title, Body, Category, Direction string
	Files, ChangedLines                                                 int
	Source                                                              struct{ Commit, HeadTreeOf, BaseTreeOf, Date, URL string }
	Fix                                                                 *struct{ Commit, URL string }
	Golden                                                              []struct {
		Path, Kind, Severity, Label, Defect, Context, Place string
		Side                                                domain.Side
		StartLine, EndLine                                  int
	}
	Definitions []eval.Definition
	Useful      []eval.Useful
}

// List returns the set of cases in a file, one JSON object per line, with code from git copies of the
// repositories in a folder. The file has facts only:
//
//	id, repo, kind, title, body, language, licence, direction, category, files, changedLines
//	source        commit, headTreeOf, baseTreeOf, date, url
//	fix           commit, url
//	golden[]      path, side, startLine, endLine, defect, label, kind, severity, context, place
//	definitions[] name, path, line
//	useful[]      path, startLine, endLine
//
// The head has the files of headTreeOf. The base has the same files with the commit's source files if the direction is
// "reversed", else with the source files and tests of its parent. With baseTreeOf the base has all files of that
// commit. Opening an introducing case returns [eval.ErrLabel] if the commit only moved all lines of a defect.
func List(file, repos string) eval.Set {
	return &set{read: func(ctx context.Context) ([]entry, error) { return readList(ctx, file, repos) }}
}

func readList(ctx context.Context, file, repos string) ([]entry, error) {
	root, err := openRoot(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.Base(file)
	raw, err := readRegular(root, name, maxSet)
	if err != nil {
		return nil, err
	}
	var out []entry
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		e, err := listed(lines.Bytes(), repos)
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		if out = append(out, e); len(out) > maxCases {
			return nil, fmt.Errorf("%s must have at most %d cases", name, maxCases)
		}
	}
	if lines.Err() != nil {
		return nil, fmt.Errorf("%s, line %d: a line must have at most %d bytes", name, n+1, maxLine)
	}
	return out, nil
}

// commitName matches the full id of a commit.
var commitName = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

func listed(line []byte, repos string) (entry, error) {
	var i item
	if err := decodeStrict(line, &i); err != nil {
		return entry{}, err
	}
	kind, ok := map[string]eval.Kind{"reversed-fix": eval.Defect, introducing: eval.Defect, "aacr": eval.Defect, "clean": eval.Clean}[i.Kind]
	switch {
	case !ok:
		return entry{}, fmt.Errorf("kind must be reversed-fix, introducing, clean or aacr")
	case i.Direction != "forward" && i.Direction != "reversed":
		return entry{}, fmt.Errorf("direction must be forward or reversed")
	case !repositoryName.MatchString(i.Repo):
		return entry{}, fmt.Errorf("repo must be owner/name")
	case !commitName.MatchString(i.Source.Commit) || !commitName.MatchString(i.Source.HeadTreeOf) ||
		i.Source.BaseTreeOf != "" && !commitName.MatchString(i.Source.BaseTreeOf):
		return entry{}, fmt.Errorf("source: commit, headTreeOf and baseTreeOf must be full names of commits")
	}
	c := eval.Case{ID: i.ID, Set: "list", Repository: i.Repo, Language: language(i.Language), Kind: kind, Title: i.Title,
		Body: i.Body, Definitions: i.Definitions, Useful: i.Useful, Heads: 1, Licence: i.Licence, Origin: i.Source.URL}
	for _, g := range i.Golden {
		c.Golden = append(c.Golden, eval.Golden{Path: g.Path, Side: g.Side, StartLine: g.StartLine, EndLine: g.EndLine, Defect: g.Defect,
			Category: g.Kind, Severity: g.Severity, Text: g.Label})
	}
	if err := check(c); err != nil {
		return entry{}, err
	}
	return entry{c, func(ctx context.Context) ([]eval.Change, func(), error) {
		dir, err := copyOf(repos, i.Repo)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case i.Source.BaseTreeOf != "":
			return openTo(ctx, dir, i.Source.BaseTreeOf, i.Source.HeadTreeOf)
		case i.Direction == "reversed":
			return openSwapped(ctx, dir, i.Source.HeadTreeOf, i.Source.Commit, isSource)
		}
		heads, done, err := openSwapped(ctx, dir, i.Source.HeadTreeOf, i.Source.Commit+"^", isCode)
		if err == nil && i.Kind == introducing {
			if err = checkIntroduced(heads[0], c.Golden); err != nil {
				done()
			}
		}
		return heads, done, err
	}}, nil
}

// language returns a language's name in Linguist's spelling.
func language(name string) string {
	for _, l := range []string{"Go", "Java", "TypeScript", "JavaScript", "Python", "Rust", "C", "C++", "C#", "PHP", "Ruby", "Kotlin",
		"Scala", "Swift", "Shell"} {
		if strings.EqualFold(l, name) {
			return l
		}
	}
	return name
}

// encode returns a case as JSON that people can read.
func encode(c eval.Case) ([]byte, error) {
	raw, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the case: %w", err)
	}
	if len(raw) >= maxCaseFile {
		return nil, fmt.Errorf("%w: the known facts about it must have fewer than %d bytes", errLarge, maxCaseFile)
	}
	return append(raw, '\n'), nil
}
