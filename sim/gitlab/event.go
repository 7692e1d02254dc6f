package gitlab

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// headerWords maps events to the values of X-Gitlab-Event.
var headerWords = map[string]string{"push": "Push Hook", "merge_requests": "Merge Request Hook", "note": "Note Hook",
	"pipeline": "Pipeline Hook", "job": "Job Hook"}

// emit sends an event of a project to its webhooks. Server.Mu is held.
func (s *Server) emit(p *project, event, action string, payload obj) {
	raw, err := json.Marshal(payload)
	if err != nil {
		s.Log.Error("payload", "error", err)
		return
	}
	for _, h := range s.hooks(func(h *hook) bool { return h.ProjectID == p.ID }) {
		if !slices.Contains(h.Events, event) || h.status(s.NowMicros()) != "executable" {
			continue
		}
		d := host.Delivery{Owner: h.ID, GUID: host.NewGUID(), RepositoryID: p.ID, Event: headerWords[event], Action: action, URL: h.URL,
			Payload: string(raw)}
		d.Headers = s.headers(h, d.Event, d.GUID, d.Payload)
		s.Sender.Enqueue(d)
	}
}

// headers returns the headers of a delivery, from app/services/web_hook_service.rb of gitlab-org/gitlab. The
// signature follows Standard Webhooks
// (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
func (s *Server) headers(h *hook, event, id, body string) map[string]string {
	out := map[string]string{"Content-Type": "application/json", "User-Agent": "GitLab/" + hostVersion, "X-Gitlab-Event": event,
		"X-Gitlab-Instance":     s.Base,
		"X-Gitlab-Webhook-UUID": host.NewGUID(), "X-Gitlab-Event-UUID": host.NewGUID()}
	if !s.On(simapi.NoIdempotencyKey) {
		out["Idempotency-Key"] = id
	}
	if h.Token != "" {
		out["X-Gitlab-Token"] = h.Token
	}
	key, err := signingKey(h.SigningToken)
	if err != nil || !s.On(simapi.SigningTokens) {
		return out
	}
	at := strconv.FormatInt(s.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "." + body))
	out["webhook-id"], out["webhook-timestamp"] = id, at
	out["webhook-signature"] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return out
}

// hookUser returns an account for a payload.
func (v view) hookUser(id int64) obj {
	u := v.user(id)
	return obj{"id": u["id"], "name": u["name"], "username": u["username"], "avatar_url": nil, "email": "[REDACTED]"}
}

func (v view) hookUsers(ids []int64) []any {
	return host.RenderAll(ids, func(id int64) any { return v.hookUser(id) })
}

// hookProject returns a project for a payload.
func (v view) hookProject(p *project) obj {
	url, level := v.s.Base+"/"+p.FullPath(), 20
	if p.Private {
		level = 0
	}
	return obj{"id": p.ID, "name": p.Path, "description": p.Description, "web_url": url, "avatar_url": nil,
		"git_ssh_url":  "git@gitlab.test:" + p.FullPath() + ".git",
		"git_http_url": url + ".git", "namespace": p.Namespace, "visibility_level": level, "path_with_namespace": p.FullPath(),
		"default_branch": p.DefaultBranch,
		"ci_config_path": nil, "homepage": url, "url": url + ".git", "ssh_url": "git@gitlab.test:" + p.FullPath() + ".git",
		"http_url": url + ".git"}
}

func (v view) hookLabels(p *project, names []string) []any {
	return host.RenderAll(names, func(name string) any {
		l := v.s.label(p, name)
		return obj{"id": l.ID, "title": l.Name, "color": l.Color, "project_id": p.ID, "type": "ProjectLabel", "description": nil,
			"template": false}
	})
}

// hookMR returns a merge request for a payload.
func (v view) hookMR(p *project, m *mergeRequest) obj {
	states := map[string]int{"opened": 1, "closed": 2, "merged": 3}
	source := v.s.st.Projects[m.SourceID]
	o := obj{"id": m.ID, "iid": m.IID, "title": m.Title, "description": m.Body, "state": m.State, "state_id": states[m.State],
		"author_id": m.Author, "assignee_id": nil,
		"assignee_ids": []any{}, "reviewer_ids": append([]int64{}, m.reviewerIDs()...), "source_branch": m.Source,
		"target_branch": m.Target, "source_project_id": m.SourceID,
		"target_project_id": p.ID, "created_at": hookStamp(m.Created), "updated_at": hookStamp(m.Updated),
		"merge_status": "can_be_merged", "detailed_merge_status": v.mergeStatus(m),
		"draft": m.draft(), "work_in_progress": m.draft(), "url": v.mrURL(p, m), "labels": v.hookLabels(p, m.Labels),
		"target": v.hookProject(p), "source": nil,
		"blocking_discussions_resolved": true, "merge_commit_sha": nil, "milestone_id": nil,
		"last_commit": obj{"id": m.now().Head, "message": "", "title": "", "timestamp": stamp(m.now().Created), "url": v.s.Base + "/" +
			p.FullPath() + "/-/commit/" + m.now().Head,
			"author": obj{"name": "", "email": ""}}}
	if source != nil {
		o["source"] = v.hookProject(source)
	}
	return o
}

// emitMR sends Merge Request Hook. Server.Mu is held.
func (s *Server) emitMR(p *project, m *mergeRequest, action string, by *user, more, changes obj) {
	v := s.view()
	about := v.hookMR(p, m)
	about["action"] = action
	maps.Copy(about, more)
	s.emit(p, "merge_requests", action, obj{"object_kind": "merge_request", "event_type": "merge_request", "user": v.hookUser(by.ID),
		"project": v.hookProject(p),
		"repository": obj{"name": p.Path, "url": "git@gitlab.test:" + p.FullPath() + ".git", "description": "",
			"homepage": s.Base + "/" + p.FullPath()},
		"object_attributes": about, "labels": about["labels"], "changes": changes, "reviewers": v.hookUsers(m.reviewerIDs())})
}

// emitNote sends Note Hook, except for system notes. Server.Mu is held.
func (s *Server) emitNote(p *project, m *mergeRequest, d *discussion, n *note, action string) {
	v := s.view()
	var kind, code any
	if n.Type != plainNote {
		kind = n.Type
	}
	if at := n.Position; at != nil && at.Code != "" {
		code = at.Code
	}
	about := obj{"id": n.ID, "note": n.Body, "description": n.Body, "noteable_type": "MergeRequest", "noteable_id": m.ID,
		"author_id": n.User, "created_at": hookStamp(n.Created),
		"updated_at": hookStamp(n.Updated), "project_id": p.ID, "attachment": nil, "change_position": nil,
		"original_position": n.Position.show(), "position": n.Position.show(),
		"discussion_id": d.ID, "internal": false, "line_code": code, "commit_id": nil, "resolved_at": nil, "resolved_by_id": nil,
		"system": n.System, "type": kind, "action": action,
		"url": v.mrURL(p, m) + "#note_" + strconv.FormatInt(n.ID, 10)}
	s.emit(p, "note", action, obj{"object_kind": "note", "event_type": "note", "user": v.hookUser(n.User), "project_id": p.ID,
		"project": v.hookProject(p), "object_attributes": about,
		"merge_request": v.hookMR(p, m)})
}

// emitPipeline sends Pipeline Hook, and Job Hook for each job. Server.Mu is held.
func (s *Server) emitPipeline(p *project, r *host.WorkflowRun) {
	v := s.view()
	by := v.hookUser(0)
	var about any
	for _, m := range p.MRs {
		if m.State == "opened" && m.now().Head == r.SHA {
			about = obj{"id": m.ID, "iid": m.IID, "title": m.Title, "source_branch": m.Source, "source_project_id": m.SourceID,
				"target_branch": m.Target, "target_project_id": p.ID,
				"state": m.State, "merge_status": "can_be_merged", "url": v.mrURL(p, m)}
		}
	}
	builds := host.RenderAll(r.Jobs, func(j *host.Job) any {
		return obj{"id": j.ID, "stage": "test", "name": j.Name, "status": jobState(j), "created_at": hookStamp(r.Created),
			"started_at": hookStamp(j.Started), "finished_at": hookStamp(j.Ended),
			"when": "on_success", "manual": false, "allow_failure": false, "failure_reason": nil}
	})
	s.emit(p, "pipeline", runState(r), obj{"object_kind": "pipeline",
		"object_attributes": obj{"id": r.ID, "iid": r.ID, "name": r.Workflow, "ref": r.Branch, "tag": false, "sha": r.SHA,
			"source": "push", "status": runState(r), "detailed_status": runState(r), "created_at": hookStamp(r.Created),
			"finished_at": hookStamp(r.Updated)}, "merge_request": about,
		"user": by, "project": v.hookProject(p), "builds": builds})
	for _, j := range r.Jobs {
		s.emit(p, "job", jobState(j), obj{"object_kind": "build", "ref": r.Branch, "tag": false, "sha": r.SHA, "build_id": j.ID,
			"build_name": j.Name, "build_stage": "test",
			"build_status": jobState(j), "build_allow_failure": false, "pipeline_id": r.ID, "project_id": p.ID, "project_name": p.FullPath(),
			"user": by, "project": v.hookProject(p)})
	}
}

// pushInfo holds the contents of a push event, computed before Server.Mu is taken.
type pushInfo struct {
	branch, before, after string
	commits               []gitrepo.Commit
}

// maxPushCommits bounds the commits in a push event (docs.gitlab.com/user/project/integrations/webhook_events,
// "Push events").
const maxPushCommits = 20

func (s *Server) describePush(ctx context.Context, p *project, branch, before, after string) pushInfo {
	info := pushInfo{branch: branch, before: before, after: after}
	list, err := p.git.Between(ctx, before, after)
	if err != nil || len(list) == 0 {
		list, err = p.git.Log(ctx, after, 1)
	}
	if err != nil {
		s.Log.Error("commits of a push", "error", err)
	}
	info.commits = list[max(0, len(list)-maxPushCommits):]
	return info
}

// emitPush sends Push Hook. Server.Mu is held.
func (s *Server) emitPush(p *project, info pushInfo, by *user) {
	v := s.view()
	commits := host.RenderAll(info.commits, func(k gitrepo.Commit) any {
		return obj{"id": k.SHA, "message": k.Message, "timestamp": dated(k.CommittedAt), "url": s.Base + "/" + p.FullPath() +
			"/-/commit/" + k.SHA,
			"author": obj{"name": k.AuthorName, "email": "[REDACTED]"}, "added": []any{}, "modified": []any{}, "removed": []any{}}
	})
	s.emit(p, "push", "", obj{"object_kind": "push", "event_name": "push", "before": info.before, "after": info.after,
		"ref": "refs/heads/" + info.branch, "checkout_sha": info.after,
		"user_id": by.ID, "user_name": by.Name, "user_username": by.Login, "project_id": p.ID, "project": v.hookProject(p),
		"commits": commits, "total_commits_count": len(info.commits)})
}
