package azuredevops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// Events of publisher tfs (MicrosoftDocs/azure-devops-docs, docs/service-hooks/events.md), and the values of notificationType.
const (
	eventCreated = "git.pullrequest.created"
	eventUpdated = "git.pullrequest.updated"
	eventMerged  = "git.pullrequest.merged"
	eventComment = "ms.vss-code.git-pullrequest-comment-event"
	eventBuild   = "build.complete"
	eventPush    = "git.push"

	pushed           = "PushNotification"
	statusChanged    = "StatusUpdateNotification"
	reviewersChanged = "ReviewersUpdateNotification"
	voted            = "ReviewerVoteNotification"
)

// emit sends an event about a repository to its subscriptions. Server.Mu is held.
func (s *Server) emit(r *repository, event, filter, target, text string, resource obj) {
	guid := simapi.ID("event", s.NewID("event"))
	for _, h := range host.ByKey(s.st.Subscriptions) {
		branch := h.Inputs["branch"]
		if h.Event != event || h.RepoID != 0 && h.RepoID != r.ID || h.RepoID == 0 && h.ProjectID != r.ProjectID || h.Status != "enabled" ||
			filter != "" && h.Inputs["notificationType"] != "" && h.Inputs["notificationType"] != filter || branch != "" && branch != target {
			continue
		}
		body := obj{"subscriptionId": h.guid(), "notificationId": s.NewID("notification"), "id": guid, "eventType": event, "publisherId": "tfs",
			"message":         obj{"text": text, "html": text, "markdown": text},
			"detailedMessage": obj{"text": text, "html": text, "markdown": text}, "resource": resource,
			"resourceVersion":    h.Version,
			"resourceContainers": obj{"project": obj{"id": s.st.Projects[r.ProjectID].guid()}}, "createdDate": stamp(s.NowMicros())}
		if s.On(simapi.NoDetails) {
			body["resource"] = nil
		}
		raw, err := json.Marshal(body)
		if err != nil {
			s.Log.Error("payload", "error", err)
			return
		}
		s.Sender.Enqueue(host.Delivery{Owner: h.ID, GUID: guid, RepositoryID: r.ID, Event: event, Action: filter, URL: h.Consumer["url"],
			Headers: h.headers(), Payload: string(raw)})
	}
}

// emitPull sends an event of a pull request. Server.Mu is held.
func (s *Server) emitPull(r *repository, p *pull, event, filter string, by *user) {
	s.emit(r, event, filter, p.Target, fmt.Sprintf("%s changed pull request %d", by.Name, p.Number), s.showPull(r, p))
}

// emitComment sends the event of a comment. Server.Mu is held.
func (s *Server) emitComment(r *repository, p *pull, t *thread, k *comment) {
	o := s.showComment(k)
	base := fmt.Sprintf("%s/_apis/git/repositories/%s/pullRequests/%d/threads/%d", s.Base, r.guid(), p.Number, t.ID)
	o["_links"] = obj{"self": obj{"href": fmt.Sprintf("%s/comments/%d", base, k.ID)}, "threads": obj{"href": base}}
	s.emit(r, eventComment, "", p.Target, fmt.Sprintf("%s has commented on a pull request", s.st.Users[k.User].Name),
		obj{"comment": o, "pullRequest": s.showPull(r, p)})
}

// emitPush sends the event of a push to a branch. Server.Mu is held.
func (s *Server) emitPush(r *repository, branch string, to host.Merged, by *user) {
	s.emit(r, eventPush, "", branch, by.Name+" pushed updates to "+r.Name, obj{"refUpdates": []any{obj{"name": heads + branch,
		"oldObjectId": to.Before, "newObjectId": to.After}}, "repository": s.showRepo(r), "pushedBy": s.identity(by.ID), "commits": []any{},
		"pushId": s.NewID("push"), "date": stamp(s.NowMicros())})
}

// emitBuild sends the event of a build that has ended. Server.Mu is held.
func (s *Server) emitBuild(r *repository, run *host.WorkflowRun) {
	if state, _ := run.State(); state == "completed" {
		s.emit(r, eventBuild, "", run.Branch, "A build has ended", s.showBuild(r, run))
	}
}

// Resend sends a delivery again.
func (s *Server) Resend(_ context.Context, id int64) error {
	again, err := s.Sender.Again(id)
	if err != nil {
		return err
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.On(simapi.NewEventID) {
		before := again.GUID
		again.GUID = simapi.ID("event", s.NewID("event"))
		again.Payload = strings.Replace(again.Payload, before, again.GUID, 1)
	}
	s.Sender.Send(again)
	return nil
}
