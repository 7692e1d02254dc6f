package cases

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// rbPull is a pull request of the set. Other fields are ignored.
type rbPull struct {
	Key string `json:"pr_key"`
	PR  struct {
		Repo   string `json:"repo"`
		Number int    `json:"pr_number"`
		Base   string `json:"base"`
		Head   string `json:"head"`
	} `json:"pr"`
	Findings []struct {
		File      string `json:"file"`
		StartLine int    `json:"start_line"`
		EndLine   int    `json:"end_line"`
		Message   string `json:"message"`
		Label     string `json:"tp_fp"`
		Severity  string `json:"severity"`
		Category  string `json:"category"`
	} `json:"findings"`
}

// ReviewBench returns the benchmark of that name (MIT, github.com/review-bench/ReviewBench). dir is a copy
// of that repository, or of a folder that contains its folder golden. Findings with the label "fp" are
// golden and False. Lines are at the head. The base is the merge base of the head and the set's base.
func ReviewBench(dir, repos string) eval.Set {
	return &set{read: func(ctx context.Context) ([]entry, error) {
		return eachFile(ctx, dir, "ReviewBench", []string{"golden"}, func(p rbPull) ([]entry, error) {
			e, err := p.entry(repos)
			return []entry{e}, err
		})
	}}
}

func (p rbPull) entry(repos string) (entry, error) {
	origin := p.PR.Repo + "/pull/" + strconv.Itoa(p.PR.Number)
	at, ok := pullOf(origin)
	switch {
	case p.Key == "":
		return entry{}, errors.New("pr_key must name the pull request")
	case !ok:
		return entry{}, errors.New("pr.repo and pr.pr_number must be those of a pull request on github.com")
	case !commitName.MatchString(p.PR.Base):
		return entry{}, errors.New("pr.base must be the full name of a commit")
	case !commitName.MatchString(p.PR.Head):
		return entry{}, errors.New("pr.head must be the full name of a commit")
	}
	c := eval.Case{ID: "reviewbench-" + p.Key, Set: "reviewbench", Repository: at.repository(), Heads: 1, Licence: "MIT", Origin: origin}
	for i, f := range p.Findings {
		switch {
		case diff.CheckPath(f.File) != nil:
			return entry{}, fmt.Errorf("findings[%d].file must stay inside the repository", i)
		case f.StartLine < 1 || f.EndLine < f.StartLine:
			return entry{}, fmt.Errorf("findings[%d].start_line and end_line must be lines from 1, the first before the last", i)
		case f.Label != "tp" && f.Label != "fp":
			return entry{}, fmt.Errorf("findings[%d].tp_fp must be tp or fp", i)
		case f.Message == "":
			return entry{}, fmt.Errorf("findings[%d].message must say what is wrong", i)
		}
		c.Golden = append(c.Golden, eval.Golden{Path: f.File, Side: domain.Right, StartLine: f.StartLine, EndLine: f.EndLine,
			Category: f.Category, Severity: f.Severity,
			Text: f.Message, False: f.Label == "fp"})
	}
	c.Kind = kindOf(c.Golden)
	if err := check(c); err != nil {
		return entry{}, err
	}
	return entry{c, func(ctx context.Context) ([]eval.Change, func(), error) {
		dir, err := copyOf(repos, at.repository())
		if err != nil {
			return nil, nil, err
		}
		return openForked(ctx, dir, p.PR.Base, p.PR.Head)
	}}, nil
}
