package gitea

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"net/url"
	"slices"

	"github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// eventOf returns the value of the event header for a type; several types share one.
func eventOf(kind string) string {
	switch kind {
	case "pull_request_assign", "pull_request_label", "pull_request_milestone", "pull_request_sync", "pull_request_review_request":
		return "pull_request"
	case "pull_request_review_approved":
		return "pull_request_approved"
	case "pull_request_review_rejected":
		return "pull_request_rejected"
	case "pull_request_review_comment":
		return "pull_request_comment"
	case "pull_request_comment":
		return "issue_comment"
	}
	return kind
}

// emit sends an event of a repository to its webhooks and those of its organisation. Server.Mu is held.
func (s *Server) emit(r *repository, kind, action, sender string, payload obj) {
	v := s.view()
	if action != "" {
		payload["action"] = action
	}
	payload["repository"], payload["sender"] = v.repository(r, s.st.role(s.st.user(sender), r)), v.user(sender)
	owner := s.st.user(r.Owner)
	for _, h := range s.hooks(func(h *hook) bool { return h.RepoID == r.ID || owner != nil && h.OrgID == owner.ID && owner.Org }) {
		if h.Active && slices.Contains(h.Events, kind) {
			s.enqueue(h, r, kind, action, payload)
		}
	}
}

// enqueue stores a delivery and sends it. Server.Mu is held.
func (s *Server) enqueue(h *hook, r *repository, kind, action string, payload obj) {
	raw, err := json.MarshalIndent(payload, "", "  ") // the host writes it indented, and signs it so
	if err != nil {
		s.Log.Error("payload", "error", err)
		return
	}
	d := host.Delivery{Owner: h.ID, GUID: host.NewGUID(), RepositoryID: r.ID, Event: kind, Action: action, URL: h.URL, Payload: string(raw)}
	if h.ContentType == "form" {
		d.Payload = url.Values{"payload": {string(raw)}}.Encode()
	}
	d.Headers = s.headers(h, kind, d.GUID, string(raw))
	s.Sender.Enqueue(d)
}

// headers returns the headers of a delivery, from services/webhook/deliver.go of Gitea and shared/payloader.go
// of Forgejo. Without a secret the signatures are empty.
func (s *Server) headers(h *hook, kind, guid, signed string) map[string]string {
	sign := func(f func() hash.Hash) string {
		if h.Secret == "" {
			return ""
		}
		m := hmac.New(f, []byte(h.Secret))
		m.Write([]byte(signed))
		return hex.EncodeToString(m.Sum(nil))
	}
	sum, event := sign(sha256.New), eventOf(kind)
	out := map[string]string{"Content-Type": "application/json", "User-Agent": "Go-http-client/1.1", "X-Hub-Signature": "sha1=" +
		sign(sha1.New), "X-Hub-Signature-256": "sha256=" + sum,
		"X-GitHub-Delivery": guid, "X-GitHub-Event": event, "X-GitHub-Event-Type": kind, "X-Gitea-Hook-Installation-Target-Type": "repository"}
	if h.OrgID != 0 {
		out["X-Gitea-Hook-Installation-Target-Type"] = "organization"
	}
	if h.ContentType == "form" {
		out["Content-Type"] = "application/x-www-form-urlencoded"
	}
	products := []string{"X-Gitea", "X-Gogs"}
	if s.forgejo {
		products = append(products, "X-Forgejo")
	}
	for _, p := range products {
		out[p+"-Delivery"], out[p+"-Event"], out[p+"-Event-Type"], out[p+"-Signature"] = guid, event, kind, sum
	}
	if h.Authorization != "" {
		out["Authorization"] = h.Authorization
	}
	return out
}

// emitPull sends an event of a pull request. Server.Mu is held; n was computed before.
func (s *Server) emitPull(r *repository, p *pull, n pullStats, kind, action, sender string, extra obj) {
	payload := obj{"number": p.Number, "pull_request": s.view().pull(r, p, n), "requested_reviewer": nil, "commit_id": "", "review": nil}
	for k, v := range extra {
		payload[k] = v
	}
	s.emit(r, kind, action, sender, payload)
}

// emitReview sends the event of a submitted review, with its text but without its id and comments.
func (s *Server) emitReview(r *repository, p *pull, n pullStats, rv *review) {
	kind := map[string]string{stateApproved: "pull_request_review_approved", stateChanges: "pull_request_review_rejected",
		stateComment: "pull_request_review_comment"}[rv.State]
	about := obj{"type": kind, "content": rv.Body}
	if s.On(simapi.ReviewIDs) {
		about["id"] = rv.ID
	}
	s.emitPull(r, p, n, kind, "reviewed", rv.User, obj{"review": about, "requested_reviewer": s.view().user(rv.User)})
}

// emitComment sends the event of a conversation comment, or of an answer to an inline comment.
func (s *Server) emitComment(r *repository, p *pull, c *issueComment, action string, before *string, sender string) {
	v := s.view()
	payload := obj{"issue": v.issue(r, p), "comment": v.issueComment(r, p, c), "is_pull": true}
	if before != nil {
		payload["changes"] = obj{"body": obj{"from": *before}}
	}
	s.emit(r, "pull_request_comment", action, sender, payload)
}

// emitRepository sends the event of a new or deleted repository.
func (s *Server) emitRepository(r *repository, action, sender string) {
	s.emit(r, "repository", action, sender, obj{"organization": s.view().user(r.Owner)})
}

func (s *Server) emitStatus(r *repository, x *status, k gitrepo.Commit) {
	v := s.view()
	s.emit(r, "status", "", x.Creator, obj{"commit": v.payloadCommit(v.repoHTML(r), k, nil), "context": x.Context,
		"created_at":  timeOf(x.Created),
		"description": x.Description, "id": x.ID, "sha": x.SHA, "state": x.State, "target_url": x.TargetURL, "updated_at": timeOf(x.Updated)})
}

// pushInfo holds the contents of a push event, computed before Server.Mu is taken.
type pushInfo struct {
	ref, before, after string
	commits            []gitrepo.Commit
	changed            []map[string][]string
}

// maxPushCommits bounds the commits in a push event (FEED_MAX_COMMIT_NUM).
const maxPushCommits = 5

func (s *Server) describePush(ctx context.Context, r *repository, ref, before, after string) pushInfo {
	info := pushInfo{ref: ref, before: before, after: after}
	list, err := r.git.Between(ctx, before, after)
	if err != nil || len(list) == 0 { // a new branch shows its tip
		list, err = r.git.Log(ctx, after, 1)
	}
	if err != nil {
		s.Log.Error("commits of a push", "error", err)
	}
	slices.Reverse(list)
	for _, k := range list[:min(len(list), maxPushCommits)] {
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
		info.commits, info.changed = append(info.commits, k), append(info.changed, changed)
	}
	return info
}

// pushPayload returns the body of a push event, without sender. Server.Mu is held.
func (s *Server) pushPayload(r *repository, info pushInfo, sender string) obj {
	v := s.view()
	page := v.repoHTML(r)
	list := []any{}
	for i, k := range info.commits {
		list = append(list, v.payloadCommit(page, k, info.changed[i]))
	}
	var head any
	if len(list) > 0 {
		head = list[0]
	}
	return obj{"ref": info.ref, "before": info.before, "after": info.after, "compare_url": page + "/compare/" + info.before + "..." +
		info.after, "commits": list,
		"total_commits": len(list), "head_commit": head, "pusher": v.user(sender), "repository": v.repository(r, "owner"),
		"sender": v.user(sender)}
}

// emitPush sends a push event, and create for a new branch. Server.Mu is held.
func (s *Server) emitPush(r *repository, info pushInfo, sender string) {
	if info.before == gitrepo.ZeroSHA {
		s.emit(r, "create", "", sender, obj{"sha": info.after, "ref": info.ref[len("refs/heads/"):], "ref_type": "branch"})
	}
	s.emit(r, "push", "", sender, s.pushPayload(r, info, sender))
}
