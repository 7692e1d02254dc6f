package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestIDsThatAreNotNumbers(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		app := storetest.App(t, s)
		_, err := s.UpsertInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "{8f0c}", AccountID: "1"})
		testkit.Equal(t, "names the column", err != nil && strings.Contains(err.Error(), "installations.external_id"), true)
		_, err = s.InstallationByExternal(bg, app.ID, "{8f0c}")
		testkit.Equal(t, "names the column", err != nil && strings.Contains(err.Error(), "installations.external_id"), true)
		none, err := s.UpsertInstallation(bg, store.Installation{AppID: app.ID, ExternalID: "7", AccountID: ""})
		testkit.OK(t, err)
		testkit.Equal(t, "an id that is not known", none.AccountID, domain.HostID(""))
	})
}

// Ids of a host that uses text are kept unchanged and told apart like numbers: the choice of a draft,
// its withdrawal, the comment of a finding, the summary, the author and the answer to a comment.
func TestTextIDs(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		const one, two = domain.HostID("6a9c1750b37d513a43987b574953fceb50b03ce7"), domain.HostID("{8f0c1c9e-4b8a-4c53-b0c5-1f4c8f0ed7aa}")
		p := seedPublishing(t, s)
		pub := p.creating(t, s)
		testkit.Equal(t, "chosen", must2(s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, one))(t), true)
		testkit.Equal(t, "another one", must2(s.ChooseReview(bg, p.Tenant, pub.ID, pub.Gen, two))(t), false)
		testkit.Equal(t, "read", must2(s.PublicationByID(bg, p.Tenant, pub.ID))(t).ReviewID, one)
		testkit.Equal(t, "listed", must2(s.PublicationsOfPull(bg, p.Tenant, p.Pull.ID, 5))(t)[0].ReviewID, one)
		f := must2(s.SaveRunFindings(bg, p.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		for _, c := range []struct {
			was, comment domain.HostID
			taken        bool
		}{{"", one, true}, {"", two, false}, {one, two, true}, {one, "41", false}, {two, "41", true}} {
			testkit.Equal(t, fmt.Sprint(c), must2(s.SetComment(bg, p.Tenant, f.ID, c.was, c.comment, ""))(t), c.taken)
			if c.taken {
				testkit.Equal(t, "comment", must2(s.KnownFindings(bg, p.Tenant, p.Pull.ID))(t)[0].CommentID, c.comment)
			}
		}

		testkit.OK(t, s.FinishPullRequest(bg, p.Tenant, p.Run, two))
		testkit.OK(t, s.FinishPullRequest(bg, p.Tenant, p.Run, "78"))
		pull := p.Pull
		for _, author := range []domain.HostID{"5", one, ""} {
			pull.AuthorID, pull.HostUpdatedUS = author, pull.HostUpdatedUS+1
			must2(s.UpsertPullRequest(bg, p.Tenant, pull))(t)
		}
		got := must2(s.PullRequest(bg, p.Tenant, p.Pull.ID))(t)
		testkit.Equal(t, "summary and author", fmt.Sprint(got.SummaryReview, " ", got.AuthorID), fmt.Sprint(two, " ", one))

		for _, c := range []struct {
			comment, thread domain.HostID
			added           store.Added
		}{{one, "", store.AddedNew}, {two, "", store.AddedNew}, {two, "", store.AddedKnown}, {two, one, store.AddedNew}, {"7", one, store.AddedNew}, {two, one, store.AddedKnown}} {
			id, added, err := s.AddAnswer(bg, p.Tenant, store.CommandAnswer{PullRequest: p.Pull.ID, Comment: c.comment, Thread: c.thread, Body: "Help."}, 50)
			testkit.OK(t, err)
			testkit.Equal(t, fmt.Sprint(c), added, c.added)
			if added != store.AddedNew {
				continue
			}
			must2(s.EndAnswer(bg, p.Tenant, id, domain.AnswerSaid, two, ""))(t)
			a, err := s.AnswerForWork(bg, id)
			testkit.OK(t, err)
			testkit.Equal(t, "answer", fmt.Sprint(a.Comment, a.Thread, a.Said), fmt.Sprint(c.comment, c.thread, two))
		}
	})
}
