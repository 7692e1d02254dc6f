package bitbucket

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
)

// Bounds of deliveries (support.atlassian.com/bitbucket-cloud/docs/event-payloads and
// confluence.atlassian.com/bbkb/troubleshoot-webhooks-1167729092.html).
const (
	maxEvent    = 256 << 10 // bytes of a payload
	maxAttempts = 3
	retryAfter  = time.Second // no source names the wait
)

// headers are those of a delivery.
const (
	eventHeader     = "X-Event-Key"
	requestHeader   = "X-Request-UUID"
	attemptHeader   = "X-Attempt-Number"
	signatureHeader = "X-Hub-Signature"
)

// emit sends an event of a repository to its webhooks and those of its workspace. Server.Mu is held.
func (s *Server) emit(r *repository, key string, sender int64, payload obj) {
	if s.dataCenter {
		s.dcEmit(r, key, sender, payload)
		return
	}
	v := s.view()
	payload["actor"], payload["repository"] = v.account(sender), v.repository(r)
	raw := string(host.Encode(payload))
	if len(raw) > maxEvent && !s.On(simapi.LargeEvents) {
		s.Log.Info("an event is too large", "event", key, "bytes", len(raw))
		return
	}
	for _, h := range host.ByKey(s.st.Hooks) {
		if !h.Active || !slices.Contains(h.Events, key) || h.RepoID != r.ID && h.WorkspaceID != r.OwnerID {
			continue
		}
		d := host.Delivery{Owner: h.ID, GUID: host.NewGUID(), RepositoryID: r.ID, Event: key, URL: h.URL, Payload: raw}
		d.Headers = map[string]string{"Content-Type": "application/json", "User-Agent": "Bitbucket-Webhooks/2.0", eventHeader: key,
			"X-Hook-UUID": strings.Trim(uuidOf(hookUUID, h.ID), "{}"), requestHeader: d.GUID, attemptHeader: "1"}
		s.sign(h, &d)
		s.Sender.Enqueue(d)
	}
}

// sign sets the signature of a delivery. The host does not sign for a webhook without a secret.
func (s *Server) sign(h *hook, d *host.Delivery) {
	if h.Secret != "" {
		m := hmac.New(sha256.New, []byte(h.Secret))
		m.Write([]byte(d.Payload))
		d.Headers[signatureHeader] = "sha256=" + hex.EncodeToString(m.Sum(nil))
	} else if s.On(simapi.EmptySignature) {
		d.Headers[signatureHeader] = "sha256="
	}
}

// repeat sends failed deliveries again, at most twice, after a wait. Dropped ones were never tried and are not repeated.
func (s *Server) repeat() {
	for _, d := range s.Sender.All() {
		n, _ := strconv.Atoi(d.Headers[attemptHeader])
		if !d.Done || d.ResponseHeaders == nil || d.Succeeded() || n >= maxAttempts {
			continue
		}
		s.Mu.Lock()
		done, wait := s.repeated[d.ID], retryAfter
		s.repeated[d.ID] = true
		if s.settings.RetryMS > 0 {
			wait = time.Duration(s.settings.RetryMS) * time.Millisecond
		}
		s.Mu.Unlock()
		if !done {
			s.Sender.Background.Go(func() {
				s.Sender.Background.Wait(wait, nil)
				s.again(d, n+1)
			})
		}
	}
}

// again sends one further attempt of a delivery.
func (s *Server) again(d host.Delivery, attempt int) {
	s.Mu.Lock()
	h, newID := s.st.Hooks[d.Owner], s.On(simapi.NewRequestIDs)
	s.Mu.Unlock()
	if h == nil || !h.Active {
		return
	}
	next := host.Delivery{Owner: d.Owner, GUID: d.GUID, RepositoryID: d.RepositoryID, Event: d.Event, Redelivery: true, URL: h.URL,
		Payload: d.Payload, Headers: maps.Clone(d.Headers)}
	if newID {
		next.GUID = host.NewGUID()
	}
	next.Headers[requestHeader], next.Headers[attemptHeader] = next.GUID, strconv.Itoa(attempt)
	s.Sender.Send(next)
}

// emitPull sends an event of a pull request; Server.Mu is held.
func (s *Server) emitPull(r *repository, p *pull, key string, sender int64, extra obj) {
	if s.dataCenter {
		s.dcEmitPull(r, p, key, sender)
		return
	}
	payload := obj{"pullrequest": s.view().pull(r, p)}
	maps.Copy(payload, extra)
	s.emit(r, "pullrequest:"+key, sender, payload)
}

// emitComment sends an event of a comment; Server.Mu is held. Pending comments send none.
func (s *Server) emitComment(r *repository, p *pull, c *comment, key string, sender int64) {
	if s.dataCenter {
		s.dcEmitComment(r, p, c, key, sender)
	} else if !c.Pending {
		s.emitPull(r, p, "comment_"+key, sender, obj{"comment": s.view().comment(r, p, c)})
	}
}

func (s *Server) emitStatus(r *repository, x *status, key string) {
	s.emit(r, "repo:commit_status_"+key, x.Creator, obj{"commit_status": s.view().status(r, x)})
}

// pushInfo holds the contents of a push event, computed before Server.Mu is taken.
type pushInfo struct {
	branch, before, after string
	commits               []gitrepo.Commit
	truncated, forced     bool
}

// maxPushCommits bounds the commits of a change in a push event (support.atlassian.com/bitbucket-cloud/docs/event-payloads).
const maxPushCommits = 5

func (s *Server) describePush(ctx context.Context, r *repository, branch, before, after string, forced bool) pushInfo {
	info := pushInfo{branch: branch, before: before, after: after, forced: forced}
	list, err := r.git.Between(ctx, before, after)
	if err != nil || len(list) == 0 { // a new branch shows its tip
		list, err = r.git.Log(ctx, after, 1)
	} else {
		slices.Reverse(list)
	}
	if err != nil {
		s.Log.Error("commits of a push", "error", err)
	}
	info.truncated = len(list) > maxPushCommits
	info.commits = list[:min(len(list), maxPushCommits)]
	return info
}

// emitPush sends the event of a push; Server.Mu is held.
func (s *Server) emitPush(r *repository, info pushInfo, sender int64) {
	if s.dataCenter {
		s.dcEmitPush(r, info, sender)
		return
	}
	v := s.view()
	tip := func(sha string) any {
		if sha == gitrepo.ZeroSHA {
			return nil
		}
		return obj{"type": "branch", "name": info.branch, "target": obj{"type": "commit", "hash": sha, "links": obj{
			"self": href(v.repoAPI(r) + "/commit/" + sha)}}, "links": obj{"html": href(v.repoHTML(r) + "/branch/" + url.PathEscape(info.branch))}}
	}
	s.emit(r, "repo:push", sender, obj{"push": obj{"changes": []any{obj{"old": tip(info.before), "new": tip(info.after),
		"created": info.before == gitrepo.ZeroSHA, "closed": false, "forced": info.forced, "truncated": info.truncated,
		"commits": host.RenderAll(info.commits, func(k gitrepo.Commit) any { return v.commit(r, k) })}}}})
}

// commit renders a commit; Server.Mu is held.
func (v view) commit(r *repository, k gitrepo.Commit) obj {
	parents := host.RenderAll(k.Parents, func(sha string) any {
		return obj{"type": "commit", "hash": sha, "links": obj{"self": href(v.repoAPI(r) + "/commit/" + sha)}}
	})
	author := obj{"type": "author", "raw": k.AuthorName + " <" + k.AuthorEmail + ">"}
	if u := v.st.user(strings.TrimSuffix(k.AuthorEmail, "@"+emailDomain)); u != nil {
		author["user"] = v.account(u.ID)
	}
	return obj{"type": "commit", "hash": k.SHA, "date": k.CommittedAt.Format(time.RFC3339), "author": author, "message": k.Message + "\n",
		"summary": rendered(k.Message), "parents": parents, "repository": v.repositoryShort(r), "links": obj{
			"self": href(v.repoAPI(r) + "/commit/" + k.SHA), "html": href(v.repoHTML(r) + "/commits/" + k.SHA)}}
}
