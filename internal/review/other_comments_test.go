package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A finding is not reported if a person with write access or an app has commented the same on its
// lines. Comments that cannot be read change nothing.
func TestCommentsOfOthersOnAFinding(t *testing.T) {
	said := codehost.Thread{Path: "shop.go", Side: "RIGHT", StartLine: 13, Line: 13, Body: usual + ": it panics."}
	by := func(login string, change func(*codehost.Thread)) codehost.Thread {
		t := said
		t.Author = login
		if change != nil {
			change(&t)
		}
		return t
	}
	bot := func(t *codehost.Thread) { t.Bot = true }
	for name, tt := range map[string]struct {
		open     codehost.Thread
		fails    bool
		comments int // of ours
	}{
		"a person who may write":       {by("rita", nil), false, 0},
		"a person who may not":         {by("eve", nil), false, 1},
		"the author":                   {by("mona", nil), false, 1},
		"an app":                       {by("linter", bot), false, 0},
		"ourselves":                    {by("assay", func(t *codehost.Thread) { t.Bot, t.Mine = true, true }), false, 1},
		"an account that is gone":      {by("", nil), false, 1},
		"on other lines":               {by("rita", func(t *codehost.Thread) { t.StartLine, t.Line = 2, 3 }), false, 1},
		"comments that cannot be read": {by("rita", nil), true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				f.Host.Roles["rita"], f.Host.Roles["eve"] = "maintain", "triage"
				f.Host.Open = []codehost.Thread{tt.open}
				if tt.fails {
					f.Host.Fail("threads", &codehost.Error{Class: codehost.ClassUnavailable})
				}
				h.push("a", divides, division)
				testkit.Equal(t, "comments", len(f.Host.Comments), tt.comments)
				testkit.Equal(t, "nothing is said", strings.Contains(h.last(), "nothing found"), tt.comments == 0)
			})
		})
	}
}

// Only findings of models are compared with other people's comments, so a run without a model does not
// read comments.
func TestCommentsAreReadForModelsOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		model func(int) (llm.Response, error)
		reads int
	}{
		"no model": {nil, 0},
		"a model":  {reviewtest.SilentModel, 1},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Models.Set(tt.model)
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
				testkit.Equal(t, "times that comments were read", f.Host.Read, tt.reads)
			})
		})
	}
}
