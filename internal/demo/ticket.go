package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/tracking"
	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/tracker/simapi"
	trackerclient "github.com/assay-dev/assay/sim/tracker/simclient"
)

// TrackerName is the simulated tracker's name for people.
const TrackerName = "Jira"

// The account with which the service signs in to the simulated tracker.
const robotName, robotEmail = "assay", "assay@example.com"

// openTracker starts the simulated tracker.
func (d *Demo) openTracker(ctx context.Context, o Options, dir string) error {
	base, err := d.startKept(ctx, o, dir, "tracker", "tracker", "--dialect", string(simapi.JiraCloud), "--data", filepath.Join(dir, "tracker"))
	if err == nil {
		d.tracker = trackerclient.New(base, o.ControlToken)
	}
	return err
}

// Ticket is the ticket of a sample pull request.
type Ticket struct {
	Key, Title, URL string
	Pull            int // number of the pull request
}

// Ticket returns the ticket of the sample.
func (d *Demo) Ticket() Ticket {
	t := demo.PagesTicket()
	return Ticket{t.Key, t.Title, d.tracker.BaseURL() + "/browse/" + t.Key, t.Pull}
}

// SeedTicket writes the ticket of the sample and connects the service to the simulated tracker, unless a
// tracker is connected. Call it before [Demo.Seed]. The sample repositories are private, so the whole ticket
// may be read and shown.
func (d *Demo) SeedTicket(ctx context.Context, s Service) error {
	there, err := s.Tracking.Trackers(ctx, s.ID, tracking.Page{Limit: 1})
	if err != nil || len(there) > 0 {
		return err
	}
	t := demo.PagesTicket()
	if _, err := d.tracker.Issue(ctx, t.Key); err != nil {
		if err := d.writeTicket(ctx, t); err != nil {
			return fmt.Errorf("the ticket of the demo: %w", err)
		}
	}
	robot, err := d.tracker.NewAccount(ctx, simapi.AccountSpec{Name: robotName, Email: robotEmail})
	if err != nil {
		return fmt.Errorf("the account on the simulated %s: %w", TrackerName, err)
	}
	_, err = s.Tracking.CreateTracker(operator(ctx), s.ID, tracking.TrackerConnectionCreate{Kind: string(domain.Jira),
		Name: TrackerName + " of the demo", BaseURL: d.tracker.BaseURL(),
		Auth: tracking.TrackerAuth{Kind: "token", Email: robotEmail, Token: robot.Token}, Projects: []string{t.Project},
		Mapping: tracking.TrackerMapping{AcceptanceCriteria: &tracking.TrackerCriteria{Heading: t.Heading}, DoneStates: []string{"Done"},
			LinkBack: "link"}})
	if err != nil {
		return fmt.Errorf("connect the simulated %s: %w", TrackerName, err)
	}
	return nil
}

func (d *Demo) writeTicket(ctx context.Context, t demo.Ticket) error {
	if err := d.tracker.NewProject(ctx, simapi.ProjectSpec{Key: t.Project, Name: demo.ProjectName}); err != nil {
		return err
	}
	text, err := json.Marshal(document(t))
	if err != nil {
		return err
	}
	_, err = d.tracker.NewIssue(ctx, simapi.IssueSpec{Project: t.Project, Number: t.Number, Type: t.Type, State: t.State,
		Title: t.Title, Text: string(text)})
	return err
}

// node is a node of Jira's documents (developer.atlassian.com/cloud/jira/platform/apis/document/structure).
type node struct {
	Type    string         `json:"type"`
	Version int            `json:"version,omitempty"`
	Attrs   map[string]any `json:"attrs,omitempty"`
	Text    string         `json:"text,omitempty"`
	Content []node         `json:"content,omitempty"`
}

// document returns the description of a ticket.
func document(t demo.Ticket) node {
	of := func(kind, words string) node {
		return node{Type: kind, Content: []node{{Type: "text", Text: words}}}
	}
	heading := of("heading", t.Heading)
	heading.Attrs = map[string]any{"level": 2}
	list := node{Type: "bulletList"}
	for _, c := range t.Criteria {
		list.Content = append(list.Content, node{Type: "listItem", Content: []node{of("paragraph", c.Text)}})
	}
	return node{Type: "doc", Version: 1, Content: []node{of("paragraph", t.Description), heading, list}}
}
