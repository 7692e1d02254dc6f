package cases

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/eval"
)

// martianPull is a pull request of the set. Other fields are ignored.
type martianPull struct {
	Title       string `json:"pr_title"`
	URL         string `json:"url"`
	OriginalURL string `json:"original_url"`
	Comments    []struct {
		Comment  string `json:"comment"`
		Severity string `json:"severity"`
	} `json:"comments"`
}

// Martian returns the offline part of Martian's Code Review Bench (MIT,
// github.com/withmartian/code-review-benchmark). dir is a copy of that repository or of its folder offline.
// Only a judge can compare findings with its comments, because they name no file and no line.
//
// The set names no commits either. The code of a pull request is available if the git copy of its
// repository, or of the original repository, has the references refs/pull/<number>/base and
// refs/pull/<number>/head.
func Martian(dir, repos string) eval.Set {
	return &set{read: func(ctx context.Context) ([]entry, error) {
		return eachFile(ctx, dir, "Martian's Code Review Bench", []string{"offline/golden_comments", "golden_comments"},
			func(list []martianPull) (out []entry, err error) {
				for i, p := range list {
					e, err := p.entry(repos)
					if err != nil {
						return nil, fmt.Errorf("[%d].%w", i, err)
					}
					out = append(out, e)
				}
				return out, nil
			})
	}}
}

func (p martianPull) entry(repos string) (entry, error) {
	at, ok := pullOf(p.URL)
	if !ok {
		return entry{}, errors.New("url must be the address of a pull request on github.com")
	}
	places := []pull{at}
	if original, ok := pullOf(p.OriginalURL); ok { // some name a commit or another page
		places = append(places, original)
	}
	if len(p.Comments) == 0 {
		return entry{}, errors.New("comments must not be empty")
	}
	c := eval.Case{ID: at.id("martian"), Set: "martian", Repository: at.repository(), Kind: eval.Defect, Title: p.Title, Heads: 1,
		Licence: "MIT", Origin: p.URL}
	for i, g := range p.Comments {
		if g.Comment == "" {
			return entry{}, fmt.Errorf("comments[%d].comment must say what is wrong", i)
		}
		c.Golden = append(c.Golden, eval.Golden{Text: g.Comment, Severity: g.Severity})
	}
	if err := check(c); err != nil {
		return entry{}, err
	}
	return entry{c, func(ctx context.Context) ([]eval.Change, func(), error) { return openPull(ctx, repos, places) }}, nil
}

// openPull opens the first of the pull requests whose two references a copy has.
func openPull(ctx context.Context, repos string, places []pull) ([]eval.Change, func(), error) {
	for _, p := range places {
		dir, err := copyOf(repos, p.repository())
		if errors.Is(err, eval.ErrNoCode) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		base, head := "refs/pull/"+p.number+"/base", "refs/pull/"+p.number+"/head"
		heads, done, err := openForked(ctx, dir, base, head)
		if err == nil || !errors.Is(err, eval.ErrNoCode) {
			return heads, done, err
		}
	}
	p := places[0]
	return nil, nil, noCodeError("a git copy of %s is needed in the folder of copies, with the references refs/pull/%s/base and "+
		"refs/pull/%s/head: the set names no commits",
		p.repository(), p.number, p.number)
}
