package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

var repliesIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		id, _, err := s.AddReply(bg, v.Tenant, store.FindingReply{PullRequest: v.Pull.ID, Finding: v.finding, Kind: domain.ReplyFree, Comment: "1", Thread: "9"}, 3, 5)
		v.reply = id
		must2(id, err)(t)
		known := must2(s.KnownFindings(bg, v.Tenant, v.Pull.ID))(t)
		must2(s.SetComment(bg, v.Tenant, known[len(known)-1].ID, "", "9", ""))(t)
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"AddReply":             {store.FindingReply{PullRequest: v.Pull.ID, Comment: "2", Thread: "9"}, 3, 5},
			"EndReply":             {v.reply, domain.ReplyStands, "evil", "evil"},
			"RepliesOf":            {v.finding},
			"FindingOfComment":     {v.Pull.ID, domain.HostID("9")},
			"HasCommentedFindings": {v.Pull.ID},
		}
	},
	instance: map[string]string{"ReplyForWork": "the job of a reply names it; the row carries its tenant"},
}
