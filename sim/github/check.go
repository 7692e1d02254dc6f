package github

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
)

// checkInput is the body of POST and PATCH …/check-runs.
type checkInput struct {
	Name        *string `json:"name"`
	HeadSHA     string  `json:"head_sha"`
	DetailsURL  *string `json:"details_url"`
	ExternalID  *string `json:"external_id"`
	Status      *string `json:"status"`
	Conclusion  *string `json:"conclusion"`
	StartedAt   *string `json:"started_at"`
	CompletedAt *string `json:"completed_at"`
	Output      *struct {
		Title       *string          `json:"title"`
		Summary     *string          `json:"summary"`
		Text        *string          `json:"text"`
		Annotations []map[string]any `json:"annotations"`
	} `json:"output"`
	Actions []map[string]any `json:"actions"`
}

var (
	checkStatuses    = []string{"queued", "in_progress", "completed", "waiting", "requested", "pending"}
	checkConclusions = []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "stale", "timed_out"}
)

// maxAnnotations bounds the annotations of a request (GitHub REST description, "Create a check run").
const maxAnnotations = 50

func (in checkInput) check() *reply {
	bad := func(field string) *reply { return invalid("CheckRun", field, "invalid", "") }
	if in.Status != nil && !slices.Contains(checkStatuses, *in.Status) {
		return bad("status")
	}
	if in.Conclusion != nil && !slices.Contains(checkConclusions, *in.Conclusion) {
		return bad("conclusion")
	}
	if in.Status != nil && *in.Status == "completed" && in.Conclusion == nil {
		return invalid("CheckRun", "conclusion", "missing_field", "")
	}
	for field, t := range map[string]*string{"started_at": in.StartedAt, "completed_at": in.CompletedAt} {
		if t != nil {
			if _, err := time.Parse(time.RFC3339, *t); err != nil {
				return bad(field)
			}
		}
	}
	if in.Output == nil {
		return nil
	}
	if in.Output.Summary == nil {
		return invalid("CheckRun", "output.summary", "missing_field", "")
	}
	if len(*in.Output.Summary) > maxBodyLen-1 || (in.Output.Text != nil && len(*in.Output.Text) > maxBodyLen-1) {
		return invalid("CheckRun", "output", "custom", "summary and text exceed the maximum of 65535 characters")
	}
	if len(in.Output.Annotations) > maxAnnotations {
		return invalid("CheckRun", "annotations", "custom", "annotations exceeds a maximum quantity of 50")
	}
	for _, a := range in.Output.Annotations {
		for _, field := range []string{"path", "start_line", "end_line", "annotation_level", "message"} {
			if a[field] == nil {
				return invalid("CheckRun", "annotations."+field, "missing_field", "")
			}
		}
		if !slices.Contains([]any{"notice", "warning", "failure"}, a["annotation_level"]) {
			return bad("annotations.annotation_level")
		}
	}
	return nil
}

// fill sets the given fields of a check run.
func (in checkInput) fill(k *checkRun, now micros) {
	at := func(to *micros, from *string) {
		if from != nil {
			t, _ := time.Parse(time.RFC3339, *from) // checked before
			*to = micros(t.UnixMicro())
		}
	}
	host.Set(&k.Name, in.Name)
	host.Set(&k.DetailsURL, in.DetailsURL)
	host.Set(&k.ExternalID, in.ExternalID)
	host.Set(&k.Status, in.Status)
	host.Set(&k.Conclusion, in.Conclusion)
	at(&k.StartedAt, in.StartedAt)
	at(&k.Completed, in.CompletedAt)
	if in.Conclusion != nil {
		k.Status = "completed"
		if k.Completed == 0 {
			k.Completed = now
		}
	}
	if in.Output != nil {
		k.HasOutput = true
		host.Set(&k.Title, in.Output.Title)
		host.Set(&k.Summary, in.Output.Summary)
		host.Set(&k.Text, in.Output.Text)
		k.Annotations = append(k.Annotations, in.Output.Annotations...)
	}
	if in.Actions != nil {
		k.Actions = in.Actions
	}
}

func createCheckRun(c *call, in checkInput) *reply {
	if in.Name == nil || *in.Name == "" {
		return invalid("CheckRun", "name", "missing_field", "")
	}
	if in.HeadSHA == "" {
		return invalid("CheckRun", "head_sha", "missing_field", "")
	}
	if bad := in.check(); bad != nil {
		return bad
	}
	if full, err := c.repo.git.Resolve(c.Ctx, in.HeadSHA); err != nil || full != in.HeadSHA {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+in.HeadSHA)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	now := c.s.NowMicros()
	suite := c.s.suite(c.repo, c.actor.app.ID, in.HeadSHA)
	k := &checkRun{ID: c.s.st.ID("check_run"), SuiteID: suite.ID, AppID: c.actor.app.ID, HeadSHA: in.HeadSHA, Status: "queued",
		Created: now, StartedAt: now, Lag: c.Lag}
	in.fill(k, now)
	c.repo.CheckRuns[k.ID] = k
	c.wrote("check_run", "create", k.ID, 0)
	c.s.emitCheckRun(c.repo, k, "created", c.actor.login)
	if k.Status == "completed" {
		c.s.emitCheckRun(c.repo, k, "completed", c.actor.login)
	}
	return created(c.view().checkRun(c.repo, k))
}

func (s *Server) suite(r *repository, appID int64, sha string) *checkSuite {
	for _, x := range r.CheckSuites {
		if x.AppID == appID && x.HeadSHA == sha {
			return x
		}
	}
	now := s.NowMicros()
	x := &checkSuite{ID: s.st.ID("check_suite"), AppID: appID, HeadSHA: sha, Created: now, Updated: now}
	r.CheckSuites[x.ID] = x
	return x
}

func getCheckRun(c *call) *reply {
	if k := c.repo.CheckRuns[c.Number("check_run_id")]; k != nil {
		return ok(c.view().checkRun(c.repo, k))
	}
	return notFound()
}

func updateCheckRun(c *call, in checkInput) *reply {
	if bad := in.check(); bad != nil {
		return bad
	}
	k := c.repo.CheckRuns[c.Number("check_run_id")]
	if k == nil {
		return notFound()
	}
	if k.AppID != c.actor.app.ID {
		return fail(http.StatusForbidden, "Invalid app_id "+fmt.Sprint(c.actor.app.ID)+
			" - check run can only be modified by the GitHub App that created it.")
	}
	was := k.Status
	in.fill(k, c.s.NowMicros())
	if in.Status != nil && *in.Status != "completed" { // a completed run may be reopened
		k.Conclusion, k.Completed = "", 0
	}
	k.Updates++
	c.repo.CheckSuites[k.SuiteID].Updated = c.s.NowMicros()
	c.wrote("check_run", "update", k.ID, 0)
	if was != "completed" && k.Status == "completed" {
		c.s.emitCheckRun(c.repo, k, "completed", c.actor.login)
	}
	return ok(c.view().checkRun(c.repo, k))
}

func listAnnotations(c *call) *reply {
	c.s.Mu.Lock()
	k := c.repo.CheckRuns[c.Number("check_run_id")]
	var list []map[string]any
	if k != nil {
		list = slices.Clone(k.Annotations)
	}
	html := c.view().repoHTML(c.repo)
	c.s.Mu.Unlock()
	if k == nil {
		return notFound()
	}
	return pageOf(c, list, func(a map[string]any) any {
		o := obj{"path": a["path"], "start_line": a["start_line"], "end_line": a["end_line"], "annotation_level": a["annotation_level"],
			"message": a["message"], "blob_href": html + "/blob/" + k.HeadSHA + "/" + fmt.Sprint(a["path"])}
		for _, f := range []string{"start_column", "end_column", "title", "raw_details"} {
			o[f] = a[f]
		}
		return o
	})
}

func listCheckRuns(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["ref"])
	if err != nil {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.Vars["ref"])
	}
	c.s.Mu.Lock()
	var list []*checkRun
	for _, k := range c.repo.CheckRuns {
		name, st, appID := c.Query.Get("check_name"), c.Query.Get("status"), c.Query.Get("app_id")
		if k.HeadSHA == sha && !c.lagging(k.Lag) && (name == "" || name == k.Name) && (st == "" || st == k.Status) &&
			(appID == "" || appID == fmt.Sprint(k.AppID)) {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b *checkRun) int { return int(b.ID - a.ID) })
	if c.Query.Get("filter") != "all" { // "latest": one per app and name
		seen := map[string]bool{}
		list = host.Without(list, func(k *checkRun) bool {
			key := fmt.Sprint(k.AppID, " ", k.Name)
			old := seen[key]
			seen[key] = true
			return old
		})
	}
	p := c.paging()
	from, to := p.Slice(len(list))
	v := c.view()
	out := []any{}
	for _, k := range list[from:to] {
		out = append(out, v.checkRun(c.repo, k))
	}
	c.s.Mu.Unlock()
	return c.link(ok(obj{"total_count": len(list), "check_runs": out}), p, len(list))
}

func (v view) checkRun(r *repository, k *checkRun) obj {
	api := fmt.Sprintf("%s/check-runs/%d", v.repoAPI(r), k.ID)
	return obj{"id": k.ID, "name": k.Name, "node_id": nodeID("CR", k.ID), "head_sha": k.HeadSHA, "external_id": k.ExternalID, "url": api,
		"html_url": fmt.Sprintf("%s/runs/%d", v.repoHTML(r), k.ID), "details_url": detailsURL(v, k), "status": k.Status,
		"conclusion": orNil(k.Conclusion),
		"started_at": k.StartedAt.RFC3339(), "completed_at": k.Completed.RFC3339(),
		"output": obj{"title": orNil(k.Title), "summary": orNil(k.Summary), "text": orNil(k.Text),
			"annotations_count": len(k.Annotations), "annotations_url": api + "/annotations"},
		"check_suite": obj{"id": k.SuiteID}, "app": v.app(v.st.Apps[k.AppID]), "pull_requests": v.pullsAt(r, k.HeadSHA)}
}

func detailsURL(v view, k *checkRun) string {
	if k.DetailsURL != "" {
		return k.DetailsURL
	}
	return v.html + "/apps/" + v.st.Apps[k.AppID].Slug
}

// pullsAt returns the open pull requests with that head, except those from forks, in the short form of checks.
func (v view) pullsAt(r *repository, sha string) []any {
	out := []any{}
	for _, p := range r.Pulls {
		if p.State == "open" && p.HeadSHA == sha && p.Fork == "" {
			api, _ := v.pullURL(r, p)
			repo := obj{"id": r.ID, "url": v.repoAPI(r), "name": r.Name}
			out = append(out, obj{"id": p.ID, "number": p.Number, "url": api, "head": obj{"ref": p.Head, "sha": p.HeadSHA, "repo": repo},
				"base": obj{"ref": p.BaseRef, "sha": p.BaseSHA, "repo": repo}})
		}
	}
	return out
}

// createStatus is POST …/statuses/{sha}.
func createStatus(c *call, in struct {
	State       string  `json:"state"`
	TargetURL   *string `json:"target_url"`
	Description *string `json:"description"`
	Context     string  `json:"context"`
}) *reply {
	if !slices.Contains([]string{"error", "failure", "pending", "success"}, in.State) {
		return invalid("Status", "state", "invalid", "")
	}
	if in.Description != nil && len(*in.Description) > 140 {
		return invalid("Status", "description", "custom", "description is too long (maximum is 140 characters)")
	}
	if in.Context == "" {
		in.Context = "default"
	}
	sha := c.Vars["sha"]
	if full, err := c.repo.git.Resolve(c.Ctx, sha); err != nil || full != sha {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+sha)
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	n := 0
	for _, x := range c.repo.Statuses {
		if x.SHA == sha && strings.EqualFold(x.Context, in.Context) {
			n++
		}
	}
	if n >= 1000 { // GitHub REST description, "Create a commit status"
		return invalid("Status", "base", "custom", "This SHA and context has reached the maximum number of statuses.")
	}
	x := &status{ID: c.s.st.ID("status"), SHA: sha, State: in.State, Context: in.Context, Description: in.Description, TargetURL: in.TargetURL,
		Creator: c.actor.login, Created: c.s.NowMicros(), Lag: c.Lag}
	c.repo.Statuses = append(c.repo.Statuses, x)
	c.wrote("status", "create", x.ID, 0)
	return created(c.view().status(c.repo, x))
}

func (v view) status(r *repository, x *status) obj {
	var avatar any
	if u := v.st.user(x.Creator); u != nil {
		avatar = fmt.Sprintf("%s/_avatars/%d.svg", v.html, u.ID)
	}
	return obj{"url": v.repoAPI(r) + "/statuses/" + x.SHA, "avatar_url": avatar, "id": x.ID, "node_id": nodeID("SC", x.ID), "state": x.State,
		"description": x.Description, "target_url": x.TargetURL, "context": x.Context, "created_at": x.Created.RFC3339(),
		"updated_at": x.Created.RFC3339(), "creator": v.user(x.Creator)}
}

func listStatuses(c *call) *reply {
	sha, err := c.repo.git.Resolve(c.Ctx, c.Vars["ref"])
	if err != nil {
		return notFound()
	}
	c.s.Mu.Lock()
	v := c.view()
	out := []any{}
	for _, x := range slices.Backward(c.repo.Statuses) {
		if x.SHA == sha && !c.lagging(x.Lag) {
			out = append(out, v.status(c.repo, x))
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, out, func(x any) any { return x })
}
