package httpapi

import (
	"net/http"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of the form that decides, as those of [ApprovalDecision].
const (
	mostNote = 2000 // characters
	mostDrop = 200
)

// decidePage takes the form by which the page of a run approves and rejects.
func (s *server) decidePage(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	c := from(ctx)
	run, err := s.runOf(ctx, c, r.PathValue("runId"))
	if err == nil {
		err = s.decideForm(r, c, run.ID)
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	http.Redirect(w, r, "/t/"+run.Tenant+"/repositories/"+run.Repository+"/runs/"+run.ID, http.StatusSeeOther)
}

// decideForm decides as the form says, which was read with its token.
func (s *server) decideForm(r *http.Request, c *caller, run string) error {
	ctx := r.Context()
	row, err := s.Store.ApprovalOfRun(ctx, c.tenant, run)
	if err != nil {
		return err
	}
	to, known := map[string]domain.ApprovalState{"approve": domain.ApprovalApproved, "reject": domain.ApprovalRejected}[r.PostForm.Get("decision")]
	note, drop := r.PostForm.Get("note"), r.PostForm["drop"]
	if !known || utf8.RuneCountInString(note) > mostNote || len(drop) > mostDrop {
		return errs.New(errs.Invalid, "invalid", "The form is not as the page sends it: it approves or rejects, with a note of at most %d characters.", mostNote)
	}
	if to == domain.ApprovalRejected {
		drop = nil // nothing is published, so nothing is left out of it
	}
	_, err = s.Approvals.Decide(ctx, c.tenant, c.repository, row.Output, approval.Decision{To: to, Digest: r.PostForm.Get("digest"), Note: note, How: domain.ByPage,
		UserID: c.user.ID, Name: c.user.Name, Changes: domain.ApprovalChanges{Drop: drop}})
	return err
}
