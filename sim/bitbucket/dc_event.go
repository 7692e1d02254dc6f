package bitbucket

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// dcEvents are the events of webhooks of Data Center.
var dcEvents = []string{"pr:opened", "pr:from_ref_updated", "pr:modified", "pr:reviewer:updated", "pr:reviewer:approved",
	"pr:reviewer:unapproved", "pr:reviewer:changes_requested", "pr:comment:added", "pr:comment:edited", "pr:comment:deleted", "pr:merged",
	"pr:declined", "pr:deleted", "repo:modified", "repo:refs_changed", "repo:forked"}

// told is what the webhooks know about a pull request.
type told struct {
	Title, Body, Target, Head string
	Draft                     bool
	Reviewers                 []int64
}

func (p *pull) tell() *told {
	return &told{p.Title, p.Body, p.Target, p.HeadSHA, p.Draft, p.reviewers()}
}

// dcSend sends an event of a repository; Server.Mu is held.
func (s *Server) dcSend(r *repository, key string, sender int64, payload obj) {
	payload["eventKey"], payload["date"] = key, s.Now().Format("2006-01-02T15:04:05-0700")
	payload["actor"] = s.view().dcAccount(sender)
	raw := string(host.Encode(payload))
	for _, h := range host.ByKey(s.st.Hooks) {
		if !h.Active || !slices.Contains(h.Events, key) || h.RepoID != r.ID {
			continue
		}
		d := host.Delivery{Owner: h.ID, GUID: host.NewGUID(), RepositoryID: r.ID, Event: key, URL: h.URL, Payload: raw}
		d.Headers = map[string]string{"Content-Type": "application/json; charset=utf-8", "User-Agent": "Atlassian HttpClient", eventHeader: key,
			"X-Request-Id": d.GUID}
		s.sign(h, &d)
		s.Sender.Enqueue(d)
	}
}

// dcEmit sends the event of Data Center for one of the cloud's; Server.Mu is held.
func (s *Server) dcEmit(r *repository, key string, sender int64, payload obj) {
	if key == "repo:updated" || key == "repo:transfer" {
		now := s.view().dcRepository(r)
		s.dcSend(r, "repo:modified", sender, obj{"old": now, "new": now})
	}
}

// dcEmitPush sends the event of a push. Server.Mu is held.
func (s *Server) dcEmitPush(r *repository, info pushInfo, sender int64) {
	kind := "UPDATE"
	if info.before == gitrepo.ZeroSHA {
		kind = "ADD"
	}
	ref := "refs/heads/" + info.branch
	s.dcSend(r, "repo:refs_changed", sender, obj{"repository": s.view().dcRepository(r), "changes": []any{obj{"refId": ref,
		"ref": obj{"id": ref, "displayId": info.branch, "type": "BRANCH"}, "fromHash": info.before, "toHash": info.after, "type": kind}}})
}

// dcEmitPull sends the event of a change of a pull request, which follows from what the webhooks know. Server.Mu is
// held.
func (s *Server) dcEmitPull(r *repository, p *pull, key string, sender int64) {
	v, before := s.view(), p.Told
	p.Told = p.tell()
	payload := obj{"pullRequest": v.dcPull(r, p)}
	words := map[string]string{"created": "pr:opened", "fulfilled": "pr:merged", "rejected": "pr:declined", "approved": "pr:reviewer:approved",
		"unapproved": "pr:reviewer:unapproved", "changes_request_created": "pr:reviewer:changes_requested",
		"changes_request_removed": "pr:reviewer:unapproved"}
	word := words[key]
	if strings.HasPrefix(word, "pr:reviewer") {
		payload["participant"] = v.dcParticipant(sender, "REVIEWER", p.participant(sender).State)
	}
	if key == "updated" && before != nil {
		switch {
		case before.Head != p.HeadSHA:
			word = "pr:from_ref_updated"
			payload["previousFromHash"] = before.Head
		case !slices.Equal(before.Reviewers, p.reviewers()):
			word = "pr:reviewer:updated"
			people := func(in, notIn []int64) []any {
				return host.RenderAll(host.Without(slices.Clone(in), func(id int64) bool { return slices.Contains(notIn, id) }),
					func(id int64) any { return v.dcAccount(id) })
			}
			payload["addedReviewers"], payload["removedReviewers"] = people(p.reviewers(), before.Reviewers), people(before.Reviewers, p.reviewers())
		default:
			word = "pr:modified"
			maps.Copy(payload, obj{"previousTitle": before.Title, "previousDescription": before.Body, "previousDraft": before.Draft,
				"previousTarget": obj{"id": "refs/heads/" + before.Target, "displayId": before.Target, "latestCommit": p.BaseSHA, "type": "BRANCH"}})
		}
	}
	if word != "" {
		s.dcSend(r, word, sender, payload)
	}
}

// dcEmitComment sends the event of a comment, which lacks its place; Server.Mu is held.
func (s *Server) dcEmitComment(r *repository, p *pull, c *comment, key string, sender int64) {
	if key != "created" {
		c.Version++
	}
	word := map[string]string{"created": "pr:comment:added", "deleted": "pr:comment:deleted"}[key]
	if word == "" {
		word = "pr:comment:edited" // also if a thread is resolved
	}
	payload := obj{"pullRequest": s.view().dcPull(r, p), "comment": s.view().dcComment(p, c, 0)}
	if c.Parent != 0 {
		payload["commentParentId"] = c.Parent
	}
	if !c.Pending {
		s.dcSend(r, word, sender, payload)
	}
}
