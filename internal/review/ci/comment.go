package ci

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

const (
	subjectComment = "ci" // subject of these writes in the intent log
	verbEdit       = "edit"

	maxShownCause = 600 // characters of a cause or suggestion in the comment
	maxShownLines = 3   // lines of evidence of one job in the comment
	maxShownLine  = 200 // characters of such a line
	minComment    = 4000
)

// Comment is the job that keeps the comment of a pull request about failed jobs. It writes the comment once and edits it in place
// later. An earlier attempt that may have written it is looked up by its mark first.
func (s *Service) Comment(ctx context.Context, c *jobs.Claim) error {
	row, err := s.pull(ctx, c)
	if err != nil || row.ID == "" {
		return err
	}
	t := domain.Tenant{ID: row.Tenant}
	v, err := s.Store.CIComment(ctx, t, row.ID)
	if errs.Is(err, errs.NotFound) || err == nil && v.State == store.CICommentGone {
		return c.FinishUnasked(ctx)
	}
	if err != nil {
		return err
	}
	c.Stage("comment", maxLookTime)
	at, why, err := s.open(ctx, row)
	if err != nil {
		return jobs.Waiting(err)
	}
	silent := at.policy.PublishMode == domain.PublishSilent
	if why != "" || silent || at.pull.HeadSHA != v.HeadSHA { // the look at the newer head leads to another comment job
		return c.FinishUnasked(ctx)
	}
	list, err := s.Store.CIAnalysesOfHead(ctx, t, row.ID, v.HeadSHA)
	if err != nil {
		return err
	}
	if v.State == store.CICommentWaiting && !worthWriting(v, list) {
		return c.FinishUnasked(ctx)
	}
	body, digest, err := s.text(row, v, list, at)
	if err != nil {
		return err
	}
	if digest == v.Digest {
		return c.FinishUnasked(ctx)
	}
	id, err := s.write(ctx, c, row, v, at, body)
	switch class := codehost.ClassOf(err); {
	case err == nil:
		err = s.Store.ShowCIComment(ctx, t, v.ID, id, digest)
	case class == codehost.ClassNotFound && v.Host != "":
		err = s.Store.DropCIComment(ctx, t, v.ID, "the comment was deleted on the host, and is not written again")
	case codehost.IsAccessLost(err), class == codehost.ClassInvalid, class == codehost.ClassTooLarge, class == codehost.ClassForbidden:
		err = s.refused(ctx, t, v, class)
	case class == codehost.ClassAmbiguous && v.Host != "": // a late edit must not overwrite the next one
		return &jobs.Snooze{For: s.LostEdit, Why: "the host's answer to an edit was lost"}
	default:
		return jobs.Waiting(err)
	}
	if err != nil {
		return err
	}
	return c.FinishUnasked(ctx)
}

// maxRefused is how often in a row the host may refuse the comment, for example of a locked pull request, before it is given up (design
// choice).
const maxRefused = 10

// refused handles the host's refusal of the comment: the next look at the head leads to another attempt.
func (s *Service) refused(ctx context.Context, t domain.Tenant, v store.CIComment, class codehost.Class) error {
	writes, err := s.Store.Writes(ctx, t, subjectComment, v.ID)
	if err != nil {
		return err
	}
	n := 0
	for _, w := range writes {
		switch w.Outcome {
		case string(class):
			n++
		case "ok": // the host took the comment in between
			n = 0
		}
	}
	s.Logger.WarnContext(ctx, "the host refuses the comment about failed jobs", "pullRequest", v.PullRequest, "class", class, "refusals", n)
	if n < maxRefused {
		return nil
	}
	return s.Store.DropCIComment(ctx, t, v.ID, fmt.Sprintf("the host refused it %d times in a row: %s", n, class))
}

// worthWriting reports whether a comment that does not exist yet has something to say: an ended analysis of a job that fails.
func worthWriting(v store.CIComment, list []store.CIAnalysis) bool {
	if v.Green {
		return false
	}
	for _, a := range list {
		if a.State == domain.CICompleted || a.State == domain.CIFailed {
			return true
		}
	}
	return false
}

// write creates the comment, or edits it, and returns the host's id of it.
func (s *Service) write(ctx context.Context, c *jobs.Claim, row store.PullRequest, v store.CIComment, at place, body markdown.Text) (
	domain.HostID, error) {
	spot := codehost.Spot{Number: row.Number}
	if v.Host == "" {
		made, err := c.CommentOnce(ctx, jobs.Comment{Tenant: domain.Tenant{ID: row.Tenant}, Kind: subjectComment, ID: v.ID, Host: at.host,
			Repo: at.repo, At: spot, Since: time.UnixMicro(v.CreatedUS), Body: body,
			Ours: func(text string) bool { id, ok := s.Marker.FindAnswer(s.placeOf(row), text); return ok && id == v.ID }})
		return made, err
	}
	w := store.WriteAttempt{SubjectKind: subjectComment, SubjectID: v.ID, Verb: verbEdit, Target: string(v.Host)}
	return v.Host, c.Write(ctx, domain.Tenant{ID: row.Tenant}, w, func(ctx context.Context) error {
		return at.host.EditReply(ctx, at.repo, spot, v.Host, body)
	})
}

func (s *Service) placeOf(row store.PullRequest) marker.Place {
	return marker.Place{Tenant: row.Tenant, Repository: row.Repository, Number: row.Number}
}

// text returns the comment with its mark, and the digest of the text.
func (s *Service) text(row store.PullRequest, v store.CIComment, list []store.CIAnalysis, at place) (markdown.Text, string, error) {
	words := wording.In(at.policy.Language)
	commit := markdown.Span(domain.ShortCommit(v.HeadSHA))
	parts := []markdown.Text{words.Say(wording.FailedJobs, commit)}
	if v.Green {
		parts[0] = words.Say(wording.JobsPass, commit)
	} else {
		limit := at.host.Capabilities().MaxComment
		for i, a := range list {
			part := s.jobText(words, a)
			parts = append(parts, part)
			if more := markdown.Blocks(parts...); limit > 0 && more.Len() > max(limit-1000, minComment) {
				parts = append(parts[:len(parts)-1], words.Say(wording.AndMore, words.Number(len(list)-i)))
				break
			}
		}
		parts = append(parts, leftOut(words, decoded[string](v.LeftOut))...)
	}
	text := markdown.Blocks(parts...).Scan(s.Scan)
	sum := sha256.Sum256([]byte(v.HeadSHA + text.String()))
	marks, err := s.Marker.WithKey(v.MarkKey)
	if err != nil {
		return text, "", err
	}
	mark, err := marks.InForm(at.host.Capabilities().Marks).Answer(s.placeOf(row), v.ID)
	return markdown.Blocks(text, mark), hex.EncodeToString(sum[:]), err
}

// leftOut returns the paragraphs about jobs that are not analysed: their names, and the sentences that say why.
func leftOut(words wording.Words, list []string) (out []markdown.Text) {
	var names []markdown.Text
	for _, l := range list {
		if !wording.JobNotes.Knows(l) {
			names = append(names, markdown.Span(cut(l)))
		}
	}
	if len(names) > 0 {
		out = append(out, words.Say(wording.JobsLeftOut, words.List(names...)))
	}
	for _, l := range list {
		if wording.JobNotes.Knows(l) {
			out = append(out, words.Translate(l, wording.JobNotes, wording.Show{Words: line, Name: line}))
		}
	}
	return out
}

func line(s string) markdown.Text { return markdown.Line(s, maxShownLine) }

// relations are the sentences about the relation of a failure to the change.
var relations = map[string]wording.Key{domain.CICaused: wording.JobCaused, domain.CIUnrelated: wording.JobUnrelated,
	domain.CIUnclear: wording.JobUnclear}

// jobText writes one analysis. Links lead to assay alone, and text of the log stands in code spans.
func (s *Service) jobText(words wording.Words, a store.CIAnalysis) markdown.Text {
	prose := func(s string) markdown.Text { return words.Reader().Line(s, maxShownCause) }
	show := wording.Show{Words: prose, Name: prose}
	say := []markdown.Text{}
	switch {
	case a.PassedUS > 0: // the sentence about flaky jobs is left
	case a.State == domain.CICompleted:
		cause := show.Words(a.Cause)
		if a.Method == domain.CIByPattern {
			cause = words.Translate(a.Cause, wording.JobCauses, show)
		}
		say = append(say, cause, words.Say(relations[a.Relation]))
		if a.Suggestion != "" {
			say = append(say, words.Say(wording.JobSuggestion, prose(a.Suggestion)))
		}
		if a.NoLog != "" {
			say = append(say, words.Say(wording.JobNoLog, words.Translate(a.NoLog, wording.JobLogs, show)))
		}
		if a.Method != domain.CIByModel {
			say = append(say, words.Say(wording.JobNoModel))
		}
	case a.State == domain.CIFailed, a.State == domain.CICancelled:
		say = append(say, words.Say(wording.JobGivenUp))
	default:
		say = append(say, words.Say(wording.JobWaits))
	}
	if a.Flaky {
		say = append(say, words.Say(wording.JobFlaky))
	}
	if a.FlakyBefore > 0 && a.PassedUS == 0 {
		say = append(say, words.Say(wording.JobHistory, words.Number(int(a.FlakyBefore)), words.Number(int(a.FailedBefore))))
	}
	if a.OnBase == "failed" && a.PassedUS == 0 {
		say = append(say, words.Say(wording.JobOld))
	}
	if s.Base != "" {
		link := s.Base + "/t/" + url.PathEscape(a.Tenant) + "/repositories/" + url.PathEscape(a.Repository) + "/ci-analyses/" +
			url.PathEscape(a.ID)
		say = append(say, markdown.Link(words.Say(wording.JobDetails), link))
	}
	out := []markdown.Text{words.Labelled(markdown.Bold(markdown.Span(a.Job)), words.Paragraph(say...))}
	for i, e := range decoded[domain.CIEvidence](a.Evidence) {
		if i < maxShownLines && a.State == domain.CICompleted && a.PassedUS == 0 {
			where := words.Say(wording.JobLogLine, words.Number(e.Line))
			if e.Path != "" {
				where = markdown.Span(e.Path + ":" + strconv.Itoa(e.Line))
			}
			out = append(out, markdown.List(words.Labelled(where, markdown.Span(cut(e.Text)))))
		}
	}
	return markdown.Join("\n", out...)
}

// cut shortens a line of a log to maxShownLine characters.
func cut(line string) string {
	if r := []rune(line); len(r) > maxShownLine {
		return string(r[:maxShownLine]) + "…"
	}
	return line
}
