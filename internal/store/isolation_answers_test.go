package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

var answersIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		id, _, err := s.AddAnswer(bg, v.Tenant, store.CommandAnswer{PullRequest: v.Pull.ID, Comment: "1", Body: "Help."}, 5)
		v.answer = id
		must2(id, err)(t)
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"AddAnswer":   {store.CommandAnswer{PullRequest: v.Pull.ID, Comment: "2", Body: "evil"}, 5},
			"ObeyCommand": {v.Pull.ID, domain.HostID(""), domain.HostID("9")},
			"EndAnswer":   {v.answer, domain.AnswerSaid, domain.HostID("7"), "evil"},
		}
	},
	instance: map[string]string{"AnswerForWork": "the job of an answer names it; the row carries its tenant"},
}
