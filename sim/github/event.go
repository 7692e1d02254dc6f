package github

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// alwaysSent are events that apps get without subscribing (GitHub docs, "Webhook events and payloads").
var alwaysSent = []string{"installation", "installation_repositories", "github_app_authorization"}

// emit sends an event of a repository to every app that is installed there and subscribed to it. Server.Mu is
// held.
func (s *Server) emit(r *repository, event, action, sender string, payload obj) {
	v := s.view()
	if action != "" {
		payload["action"] = action
	}
	payload["repository"], payload["sender"] = v.hookRepository(r), v.user(sender)
	if org := v.organization(r.Owner); org != nil {
		payload["organization"] = org
	}
	for _, id := range slices.Sorted(maps.Keys(s.st.Installations)) {
		i := s.st.Installations[id]
		if i.SuspendedAt != 0 || !i.covers(r) || !slices.Contains(i.Events, event) {
			continue
		}
		p := maps.Clone(payload)
		p["installation"] = obj{"id": i.ID, "node_id": nodeID("MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u", i.ID)}
		s.enqueue(s.st.Apps[i.AppID], i.ID, r.ID, event, action, p)
	}
}

// emitInstallation sends installation and installation_repositories to the one app that they belong to.
// Server.Mu is held.
func (s *Server) emitInstallation(i *installation, event, action, sender string, extra obj) {
	v := s.view()
	p := obj{"action": action, "installation": v.installation(i), "sender": v.user(sender)}
	maps.Copy(p, extra)
	s.enqueue(s.st.Apps[i.AppID], i.ID, 0, event, action, p)
}

// briefRepos returns repositories in the short form of installation events.
func briefRepos(list []*repository) []any {
	slices.SortFunc(list, func(a, b *repository) int { return cmp.Compare(a.ID, b.ID) })
	out := []any{}
	for _, r := range list {
		out = append(out, obj{"id": r.ID, "node_id": nodeID("R", r.ID), "name": r.Name, "full_name": r.FullName(), "private": r.Private})
	}
	return out
}

// emitPull sends a pull_request event. Server.Mu is held; n was computed before.
func (s *Server) emitPull(r *repository, p *pull, n pullStats, action, sender string, extra obj) {
	payload := obj{"number": p.Number, "pull_request": s.view().pull(r, p, n)}
	maps.Copy(payload, extra)
	s.emit(r, "pull_request", action, sender, payload)
}

func (s *Server) hookReview(r *repository, p *pull, rv *review) obj {
	o := s.view().review(r, p, rv)
	o["state"] = strings.ToLower(rv.State)
	o["body"] = orNil(rv.Body)
	o["submitted_at"] = rv.Submitted.RFC3339()
	return o
}

func (s *Server) emitReview(r *repository, p *pull, rv *review, action, sender string) {
	s.emit(r, "pull_request_review", action, sender, obj{"review": s.hookReview(r, p, rv), "pull_request": s.view().simplePull(r, p)})
}

func (s *Server) emitReviewEdited(r *repository, p *pull, rv *review, before, sender string) {
	s.emit(r, "pull_request_review", "edited", sender, obj{"review": s.hookReview(r, p, rv), "pull_request": s.view().simplePull(r, p),
		"changes": obj{"body": obj{"from": before}}})
}

// hookComment returns an inline comment in an event, at its original place, because events are sent before it
// can move.
func (s *Server) hookComment(r *repository, p *pull, c *reviewComment) obj {
	return s.view().reviewComment(r, p, c, placement{Line: c.Line, StartLine: c.StartLine, Position: c.Position, CommitID: c.CommitID})
}

func (s *Server) emitReviewComment(r *repository, p *pull, c *reviewComment, action, sender string) {
	s.emit(r, "pull_request_review_comment", action, sender, obj{"comment": s.hookComment(r, p, c), "pull_request": s.view().simplePull(r, p)})
}

func (s *Server) emitReviewCommentEdited(r *repository, p *pull, c *reviewComment, before, sender string) {
	s.emit(r, "pull_request_review_comment", "edited", sender, obj{"comment": s.hookComment(r, p, c),
		"pull_request": s.view().simplePull(r, p),
		"changes":      obj{"body": obj{"from": before}}})
}

// emitThread sends pull_request_review_thread resolved or unresolved.
func (s *Server) emitThread(r *repository, p *pull, root *reviewComment, action, sender string) {
	comments := []any{}
	for _, c := range p.Comments {
		if c.ID == root.ID || c.InReplyTo == root.ID {
			comments = append(comments, s.hookComment(r, p, c))
		}
	}
	s.emit(r, "pull_request_review_thread", action, sender, obj{"pull_request": s.view().simplePull(r, p),
		"thread": obj{"node_id": nodeID("PRRT", root.ID), "comments": comments}})
}

func (s *Server) emitIssueComment(r *repository, p *pull, c *issueComment, action string, before *string, sender string) {
	v := s.view()
	comment := v.issueComment(r, p, c)
	if c.AppID != 0 {
		comment["performed_via_github_app"] = v.hookApp(c.AppID)
	}
	payload := obj{"issue": v.issue(r, p), "comment": comment}
	if before != nil {
		payload["changes"] = obj{"body": obj{"from": *before}}
	}
	s.emit(r, "issue_comment", action, sender, payload)
}

// issue renders a pull request as an issue.
func (v view) issue(r *repository, p *pull) obj {
	api := fmt.Sprintf("%s/issues/%d", v.repoAPI(r), p.Number)
	pr, page := v.pullURL(r, p)
	labels := []any{}
	for _, l := range p.Labels {
		labels = append(labels, v.label(r, l))
	}
	return obj{"url": api, "repository_url": v.repoAPI(r), "labels_url": api + "/labels{/name}", "comments_url": api + "/comments",
		"events_url": api + "/events",
		"html_url":   page, "id": p.IssueID, "node_id": nodeID("I", p.IssueID), "number": p.Number, "title": p.Title,
		"user": v.user(p.Author), "labels": labels,
		"state": p.State, "locked": false, "assignee": nil, "assignees": []any{}, "milestone": nil, "comments": len(p.IssueComments),
		"created_at": p.Created.RFC3339(), "updated_at": p.Updated.RFC3339(), "closed_at": p.Closed.RFC3339(),
		"author_association": v.association(r, p.Author),
		"active_lock_reason": nil, "body": orNil(p.Body), "reactions": v.reactions(api, p.Reactions), "timeline_url": api + "/timeline",
		"performed_via_github_app": nil, "state_reason": nil, "draft": p.Draft,
		"pull_request": obj{"url": pr, "html_url": page, "diff_url": page + ".diff", "patch_url": page + ".patch",
			"merged_at": p.Merged.RFC3339()}}
}

// emitCheckRun sends a check_run event.
func (s *Server) emitCheckRun(r *repository, k *checkRun, action, sender string) {
	v := s.view()
	o := v.checkRun(r, k)
	o["check_suite"] = v.hookSuite(r, r.CheckSuites[k.SuiteID], k.Status, orNil(k.Conclusion))
	o["app"] = v.hookApp(k.AppID)
	s.emit(r, "check_run", action, sender, obj{"check_run": o})
}

// hookApp returns an app in an event, which has no client id.
func (v view) hookApp(id int64) obj {
	o := v.app(v.st.Apps[id])
	delete(o, "client_id")
	return o
}

// pushInfo holds the contents of a push event, computed before Server.Mu is taken.
type pushInfo struct {
	ref, before, after string
	forced             bool
	commits            []obj
}

// maxPushCommits bounds the commits in a push event. [inference: the host's limit is 2,048; more than a few
// dozen serve no test]
const maxPushCommits = 64

func (s *Server) describePush(ctx context.Context, r *repository, html, ref, before, after string, forced bool) pushInfo {
	info := pushInfo{ref: ref, before: before, after: after, forced: forced, commits: []obj{}}
	var list []gitrepo.Commit
	if before == gitrepo.ZeroSHA {
		list, _ = r.git.Log(ctx, after, 1) // a new branch shows its tip
	} else {
		list, _ = r.git.Between(ctx, before, after)
	}
	for _, k := range list[max(0, len(list)-maxPushCommits):] {
		info.commits = append(info.commits, s.pushCommit(ctx, r, html, k))
	}
	return info
}

func (s *Server) pushCommit(ctx context.Context, r *repository, html string, k gitrepo.Commit) obj {
	changed := map[string][]string{"added": {}, "removed": {}, "modified": {}}
	if len(k.Parents) > 0 {
		if d, err := r.git.Diff(ctx, k.Parents[0], k.SHA); err == nil {
			for _, f := range d.Files {
				kind := f.Status
				if changed[kind] == nil {
					kind = "modified"
				}
				changed[kind] = append(changed[kind], f.Path)
			}
		}
	}
	who := func(name, email string) obj {
		o := obj{"name": name, "email": email}
		if login := loginOf(email); login != email {
			o["username"] = login
		}
		return o
	}
	return obj{"id": k.SHA, "tree_id": k.Tree, "distinct": true, "message": k.Message, "timestamp": rfc3339(k.CommittedAt),
		"url": html + "/commit/" + k.SHA, "author": who(k.AuthorName, k.AuthorEmail), "committer": who(k.CommitterName, k.CommitterEmail),
		"added": changed["added"], "removed": changed["removed"], "modified": changed["modified"]}
}

// emitPush sends a push event. Server.Mu is held.
func (s *Server) emitPush(r *repository, info pushInfo, sender string) {
	var head any
	if n := len(info.commits); n > 0 {
		head = info.commits[n-1]
	}
	page := s.view().repoHTML(r)
	s.emit(r, "push", "", sender, obj{"ref": info.ref, "before": info.before, "after": info.after, "created": info.before == gitrepo.ZeroSHA,
		"deleted": info.after == gitrepo.ZeroSHA, "forced": info.forced, "base_ref": nil, "compare": page + "/compare/" +
			info.before[:12] + "..." + info.after[:12],
		"commits": info.commits, "head_commit": head, "pusher": obj{"name": sender, "email": sender + "@" + emailDomain}})
}
