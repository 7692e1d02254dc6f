// Package simapi holds the types of the simulated Azure DevOps's control interface that other simulated hosts do not have; the
// shared ones are in sim/host/simapi. It holds no behaviour beyond checks of values.
package simapi

import (
	"fmt"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// UserFlags changes what only administrators of the host may change.
type UserFlags = simapi.UserFlags

// Doubt is a doubt about the host.
type Doubt = simapi.Doubt

// The doubts.
const (
	// NoRetryAfter: a refusal for too many requests has no Retry-After.
	NoRetryAfter Doubt = "no-retry-after"
	// SignInPage: a refused credential is answered with 203 and a page, as the cloud does. Without it the answer is 401.
	SignInPage Doubt = "sign-in-page"
	// NoComments: the host has no event for comments of pull requests, and refuses its subscription.
	NoComments Doubt = "no-comment-event"
	// NoDetails: service hooks send a resource with nothing but ids.
	NoDetails Doubt = "no-details"
	// OutsideDiff: the host refuses a thread on a line outside the change.
	OutsideDiff Doubt = "outside-diff-fails"
	// FlatProperties: answers have bare values in properties. Without it each value is an object with $type and $value.
	FlatProperties Doubt = "flat-properties"
	// NewEventID: a repeated delivery has a new id of its event.
	NewEventID Doubt = "new-event-id"
	// NoIdentities: the host does not list members of groups to the token, as one without the scope for identities.
	NoIdentities Doubt = "no-identities"
)

// Doubts returns all doubts.
func Doubts() simapi.Doubts {
	return simapi.Doubts{NoRetryAfter, SignInPage, NoComments, NoDetails, OutsideDiff, FlatProperties, NewEventID, NoIdentities}
}

// Settings of the whole simulator.
type Settings struct {
	// ClockOffsetSeconds shifts the Date header.
	ClockOffsetSeconds int64 `json:"clockOffsetSeconds"`
	// Doubts switches doubts on and off. Those not named keep their state.
	Doubts map[Doubt]bool `json:"doubts,omitempty"`
}

// ID returns the host's id of an object of a kind: "user", "project", "repository", "group" or "subscription".
func ID(kind string, n int64) string {
	kinds := map[string]int{"user": 0xa, "project": 0xb, "repository": 0xc, "group": 0xd, "subscription": 0xe, "label": 0xf, "job": 0x10,
		"event": 0x11}
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", kinds[kind], n)
}

// App is a service principal of Microsoft Entra: its tenant, client and secret. It acts as the account Login.
type App struct {
	Login  string `json:"login"`
	Tenant string `json:"tenant"`
	Client string `json:"client"`
	Secret string `json:"secret"`
	// LifeSeconds is how long an access token lives; 0 means an hour.
	LifeSeconds int64 `json:"lifeSeconds,omitempty"`
}

// Token is a new personal access token.
type Token struct {
	ID    int64  `json:"id"`
	Text  string `json:"text"`
	Login string `json:"login"`
}

// Subscription is a service hook.
type Subscription struct {
	ID         string `json:"id"`
	Repository string `json:"repository"`
	Event      string `json:"event"`
	Filter     string `json:"filter,omitempty"`
	URL        string `json:"url"`
	Status     string `json:"status"`
}

// SubscriptionChange sets the status of a service hook, such as "onProbation" or "disabledBySystem".
type SubscriptionChange struct {
	Status string `json:"status"`
}

// ThreadSpec is a person's comment on lines of the newest iteration, or a thread of the conversation without a Path.
type ThreadSpec struct {
	Author    string `json:"author"`
	Path      string `json:"path,omitempty"`
	Left      bool   `json:"left,omitempty"`
	FirstLine int    `json:"firstLine,omitempty"`
	Line      int    `json:"line,omitempty"`
	Body      string `json:"body"`
	Resolved  bool   `json:"resolved,omitempty"`
}

// Thread is a thread with its key of ours.
type Thread struct {
	ID         int64             `json:"id"`
	Status     string            `json:"status"`
	Deleted    bool              `json:"deleted,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
	Comments   []simapi.Comment  `json:"comments"`
}

// Vote is a reviewer's vote: 10, 5, 0, -5 or -10.
type Vote struct {
	Actor string `json:"actor"`
	Vote  int    `json:"vote"`
}

// RepoChange renames, moves or deletes a repository, or changes rights. Empty fields stay.
type RepoChange struct {
	Name    string `json:"name,omitempty"`
	Project string `json:"project,omitempty"` // another name of the project
	Delete  bool   `json:"delete,omitempty"`
	// Disabled makes the repository read-only and hides it from calls.
	Disabled *bool `json:"disabled,omitempty"`
	// Collaborators maps logins to "read", "write", "admin", or to "" to remove one. Others stay. Rights belong to the project.
	Collaborators map[string]string `json:"collaborators,omitempty"`
	// Protect lists branches to forbid all pushes to.
	Protect []string `json:"protect,omitempty"`
}

// Status is a status of a pull request or of a commit.
type Status struct {
	ID          int64  `json:"id"`
	Number      int    `json:"number,omitempty"`
	Iteration   int    `json:"iteration,omitempty"`
	SHA         string `json:"sha"`
	State       string `json:"state"`
	Genre       string `json:"genre"`
	Name        string `json:"name"`
	Description string `json:"description"`
	TargetURL   string `json:"targetUrl"`
	Creator     string `json:"creator"`
}
