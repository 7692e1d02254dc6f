package intake

import (
	"context"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// commandForm is a command alone on the first line of a comment that has text;
// only explain, ignore and fix may have more on it. The words are a closed set:
// nothing in a comment can change a setting of ours.
var commandForm = regexp.MustCompile(`(?i)\A\s*[/@]assay[ \t]+(?:(review)(?:[ \t]+(full))?|(help|pause|resume)|(fix|explain|ignore)\b[^\r\n]*)[ \t]*(?:\r?\n|\z)`)

// command reads a command, "" if the text is none.
func command(text string) (word string, full bool) {
	m := commandForm.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return strings.ToLower(m[1] + m[3] + m[4]), m[2] != ""
}

// comment answers a command in a comment of a pull request.
func (s *Service) comment(ctx context.Context, c *jobs.Claim, d store.Delivery, inst store.Installation, ev codehost.Event) error {
	cm := ev.Comment
	switch {
	case cm == nil || !cm.OnPullRequest:
		return s.dispose(ctx, c, d, ignored(codehost.ReasonNotPullRequest), nil)
	case cm.AuthorIsBot || ev.Sender.IsBot:
		return s.dispose(ctx, c, d, ignored("written by a bot"), nil)
	case ev.Action != "created":
		return s.dispose(ctx, c, d, ignored(codehost.ReasonUnusedAction), nil)
	}
	word, full := command(cm.Body)
	if word == "" {
		return s.dispose(ctx, c, d, ignored("no command"), nil)
	}
	if word != "review" && word != "pause" && word != "resume" {
		return s.dispose(ctx, c, d, ignored("the command "+word+" is not built yet"), nil)
	}
	if ev.Repository == nil {
		return s.dispose(ctx, c, d, ignored("no repository"), nil)
	}
	repo, err := policy.SeeRepository(ctx, s.Store, inst, *ev.Repository)
	if err != nil {
		return err
	}
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return jobs.Waiting(err)
	}
	role, err := host.Permission(ctx, ref, cm.Author)
	if codehost.Gone(err) {
		return s.dispose(ctx, c, d, ignored("the repository cannot be reached on the host any more"), nil)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	if !mayCommand(role, full) {
		return s.dispose(ctx, c, d, ignored("the author of the command may not do that"), nil)
	}
	pr, err := host.PullRequest(ctx, ref, cm.Number)
	if codehost.Gone(err) {
		return s.dispose(ctx, c, d, ignored(unreachable), nil)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	t := domain.Tenant{ID: inst.Tenant}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		row, err := s.Store.SeePullRequest(ctx, t, run.PullRow(repo.ID, pr))
		if err != nil {
			return decision{}, err
		}
		dec := applied
		switch {
		case word != "review":
			err = s.Store.SetPaused(ctx, t, row.ID, word == "pause")
		case row.State != "open":
			dec = ignored("the pull request is not open")
		default:
			event := "command.review"
			if full {
				event = run.EventFull
			}
			var out run.Outcome
			out, err = s.Runs.Start(ctx, t, row, run.CommandKey(cm.ID), event, d.ID, "")
			dec = of(out)
		}
		dec.tenant = t.ID
		return dec, err
	})
}

// mayCommand asks for write access, and for more where a command costs more.
func mayCommand(role string, full bool) bool {
	switch role {
	case "admin", "maintain":
		return true
	case "write":
		return !full
	}
	return false
}
