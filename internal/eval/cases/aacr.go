package cases

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// aacrPull is a pull request of the set. Other fields are ignored.
type aacrPull struct {
	Language string        `json:"project_main_language"`
	Source   string        `json:"source_commit"` // the base
	Target   string        `json:"target_commit"` // the head
	URL      string        `json:"githubPrUrl"`
	Comments []aacrComment `json:"comments"`
}

type aacrComment struct {
	Note     string `json:"note"`
	Path     string `json:"path"`
	Side     string `json:"side"`
	FromLine int    `json:"from_line"`
	ToLine   int    `json:"to_line"`
	Category string `json:"category"`
}

// AACR returns AACR-Bench (Apache-2.0, github.com/alibaba/aacr-bench). dir is a copy of that repository or
// of its folder dataset. Comments that people confirmed are golden. Comments that they rejected are golden
// and False. A pull request with only rejected comments is clean. The target commit is the head, and the
// base is its merge base with the source commit.
func AACR(dir, repos string) eval.Set {
	return &set{read: func(ctx context.Context) ([]entry, error) { return readAACR(ctx, dir, repos) }}
}

func readAACR(ctx context.Context, dir, repos string) ([]entry, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var order []string
	cases := map[string]*eval.Case{}
	commits := map[string][2]string{}
	found := false
	for _, rejected := range []bool{false, true} {
		name, raw, err := aacrFile(root, map[bool]string{false: "positive_samples.json", true: "negative_samples.json"}[rejected])
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		found = true
		var list []aacrPull
		if err := decodeLenient(raw, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", quotedName(name), err)
		}
		for i, p := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			at, err := p.check()
			if err != nil {
				return nil, fmt.Errorf("%s: [%d].%w", quotedName(name), i, err)
			}
			id := at.id("aacr")
			c := cases[id]
			if c == nil {
				c = &eval.Case{ID: id, Set: "aacr", Repository: at.repository(), Language: language(p.Language), Heads: 1,
					Licence: "Apache-2.0", Origin: p.URL}
				cases[id], commits[id] = c, [2]string{p.Source, p.Target}
				order = append(order, id)
			}
			if commits[id] != [2]string{p.Source, p.Target} {
				return nil, fmt.Errorf("%s: [%d].target_commit and source_commit must be the same in both files", quotedName(name), i)
			}
			for _, g := range p.Comments {
				c.Golden = append(c.Golden, g.golden(rejected))
			}
		}
	}
	if !found {
		return nil, errors.New("the folder must be a copy of AACR-Bench, with dataset/positive_samples.json")
	}
	var out []entry
	for _, id := range order {
		c, at := *cases[id], commits[id]
		c.Kind = kindOf(c.Golden)
		if err := check(c); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
		out = append(out, entry{c, func(ctx context.Context) ([]eval.Change, func(), error) {
			dir, err := copyOf(repos, c.Repository)
			if err != nil {
				return nil, nil, err
			}
			return openForked(ctx, dir, at[0], at[1])
		}})
	}
	return out, nil
}

// aacrFile reads one of the set's files. name is "" if the file is absent.
func aacrFile(root *os.Root, file string) (name string, raw []byte, err error) {
	for _, name := range []string{"dataset/" + file, file} {
		if _, err := root.Lstat(name); err == nil {
			raw, err := readRegular(root, name, maxSet)
			return name, raw, err
		}
	}
	return "", nil, nil
}

// check returns an error that names the invalid field of a pull request.
func (p aacrPull) check() (pull, error) {
	at, ok := pullOf(p.URL)
	switch {
	case !ok:
		return at, errors.New("githubPrUrl must be the address of a pull request on github.com")
	case !commitName.MatchString(p.Source):
		return at, errors.New("source_commit must be the full name of a commit")
	case !commitName.MatchString(p.Target):
		return at, errors.New("target_commit must be the full name of a commit")
	}
	for i, c := range p.Comments {
		switch {
		case diff.CheckPath(c.Path) != nil:
			return at, fmt.Errorf("comments[%d].path must stay inside the repository", i)
		case c.Side != "left" && c.Side != "right":
			return at, fmt.Errorf("comments[%d].side must be left or right", i)
		case c.FromLine < 1 || c.ToLine < 1:
			return at, fmt.Errorf("comments[%d].from_line and to_line must be lines from 1", i)
		case c.Note == "":
			return at, fmt.Errorf("comments[%d].note must say what is wrong", i)
		}
	}
	return at, nil
}

// golden converts a comment. One comment of the published set has its two lines in the wrong order.
func (c aacrComment) golden(rejected bool) eval.Golden {
	side := domain.Right
	if c.Side == "left" {
		side = domain.Left
	}
	return eval.Golden{Path: c.Path, Side: side, StartLine: min(c.FromLine, c.ToLine), EndLine: max(c.FromLine, c.ToLine),
		Category: c.Category, Text: c.Note, False: rejected}
}
