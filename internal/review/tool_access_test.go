package review_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
)

// offering records for each review whether its models may call tools.
type offering struct {
	*reviewtest.Models
	said *[]bool
}

func (o offering) Open(ctx context.Context, run store.Run, tools func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	*o.said = append(*o.said, tools(ctx))
	return o.Models.Open(ctx, run, tools)
}

// In a public repository, input from outsiders never lets a review call a tenant's servers, whatever
// has started the review.
func TestToolsAreNotForStrangersInPublic(t *testing.T) {
	fork := func(p *codehost.PullRequest) { reviewtest.Fork(p) }
	for name, tc := range map[string]struct {
		private bool
		policy  string
		change  func(*codehost.PullRequest)
		role    string // of the author
		down    bool   // the host does not answer
		asked   bool   // a person with write access asks for a second review
		want    []bool
	}{
		"from a fork, in public":                           {change: fork, want: []bool{false}},
		"from a writer's fork, in public":                  {change: fork, role: "write", want: []bool{false}},
		"from a fork, in public, asked for":                {change: fork, asked: true, want: []bool{false, false}},
		"from a fork, for members":                         {private: true, change: fork, want: []bool{true}},
		"from a fork, for members, reduced":                {private: true, policy: `{"outsideContributors":"reduced"}`, change: fork, want: []bool{false}},
		"by an author without write access, in public":     {want: []bool{false}},
		"by an author with write access, in public":        {role: "write", want: []bool{true}},
		"by an author with unknown access, in public":      {policy: `{"outsideContributors":"full"}`, down: true, want: []bool{false}},
		"by an author without write access, for members":   {private: true, want: []bool{true}},
		"by an author with write access, in public, asked": {role: "write", asked: true, want: []bool{true, true}},
		"by the owner of the repository, in public":        {change: func(p *codehost.PullRequest) { p.Association = codehost.AssociationOwner }, want: []bool{true}},
		"from a fork of the owner, reviewed in public":     {change: func(p *codehost.PullRequest) { fork(p); p.Association = codehost.AssociationOwner }, want: []bool{false}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				var said []bool
				f.Stop()
				f.Service.Models = offering{f.Models, &said}
				f.Start()
				f.Models.Set(reviewtest.SilentModel)
				f.Host.Roles["hubot"] = "write"
				if tc.policy != "" {
					f.Policy(tc.policy)
				}
				if tc.role != "" {
					f.Host.Roles["mona"] = tc.role
				}
				if tc.down {
					f.Host.Fail("permission", errors.New("down"))
				}
				change := func(*codehost.PullRequest) {}
				if tc.change != nil {
					change = tc.change
				}
				e := f.Event("opened", "a", change)
				e.Repository.Private = tc.private
				f.Deliver(e)
				if tc.asked {
					command := reviewtest.Comment(1, "hubot", "/assay review")
					command.Repository.Private = tc.private
					f.Deliver(command)
				}
				if !slices.Equal(said, tc.want) {
					t.Errorf("tools are offered: %v, want %v", said, tc.want)
				}
			})
		})
	}
}
