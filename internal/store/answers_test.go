package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Racing commands get as many answers as sequential ones, and a comment never gets two.
func TestAnswersOfADay(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		add := func(comment, thread int64) store.Added {
			_, added, err := s.AddAnswer(bg, w.Tenant, store.CommandAnswer{PullRequest: w.Pull.ID, Comment: domain.NumberID(comment), Thread: domain.NumberID(thread), Body: "Help."}, 5)
			testkit.OK(t, err)
			return added
		}
		var mu sync.Mutex
		got := map[store.Added]int{}
		atOnce(24, func(i int) {
			added := add(int64(i/2), 0) // each comment twice
			mu.Lock()
			defer mu.Unlock()
			got[added]++
		})
		testkit.Equal(t, "new", got[store.AddedNew], 5)
		testkit.Equal(t, "known or too many", got[store.AddedKnown]+got[store.AddedOverLimit], 19)

		raw(t, s, `UPDATE command_answers SET created_us = created_us - 86400000000`) // yesterday's answers do not count
		testkit.Equal(t, "the next day", add(100, 0), store.AddedNew)
		testkit.Equal(t, "the same once more", add(100, 0), store.AddedKnown)
		testkit.Equal(t, "the same number in a thread", add(100, 9), store.AddedNew)
		other := storetest.PullRequest(t, s, w.Repository, 2)
		id, added, err := s.AddAnswer(bg, w.Tenant, store.CommandAnswer{PullRequest: other.ID, Comment: "1", Thread: "3", Body: "Help."}, 5)
		testkit.OK(t, err)
		testkit.Equal(t, "of another pull request", added, store.AddedNew)

		a, err := s.AnswerForWork(bg, id)
		testkit.OK(t, err)
		testkit.Equal(t, "read", fmt.Sprintln(a.Tenant == w.Tenant.ID, a.Repository == w.Repository.ID, a.Number, a.Comment, a.Thread, a.Body, a.State), "true true 2 1 3 Help. waiting\n")
		var ended []bool
		for range 2 {
			held, err := s.EndAnswer(bg, w.Tenant, id, domain.AnswerSaid, "7", "")
			testkit.OK(t, err)
			ended = append(ended, held)
		}
		testkit.Equal(t, "ended once", slices.Equal(ended, []bool{true, false}), true)
		a, err = s.AnswerForWork(bg, id)
		testkit.OK(t, err)
		testkit.Equal(t, "said", fmt.Sprint(a.State, " ", a.Said), "said 7")
	})
}
