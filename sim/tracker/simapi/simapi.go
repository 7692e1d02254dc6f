// Package simapi holds the types of a simulated issue tracker's control interface. Texts have the tracker's
// own form: Markdown (Linear), ADF as JSON (Jira Cloud), wiki text (Jira Data Center), HTML (Azure Boards).
package simapi

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Dialect names a simulated tracker.
type Dialect string

// The dialects.
const (
	Linear      Dialect = "linear"
	JiraCloud   Dialect = "jira-cloud"
	JiraServer  Dialect = "jira-server" // Data Center
	AzureBoards Dialect = "azure-boards"
)

// Check returns an error if the dialect does not exist.
func (d Dialect) Check() error {
	if !slices.Contains([]Dialect{Linear, JiraCloud, JiraServer, AzureBoards}, d) {
		return fmt.Errorf("dialect: must be %q, %q, %q or %q", Linear, JiraCloud, JiraServer, AzureBoards)
	}
	return nil
}

// Doubt is a doubt about the tracker.
type Doubt = simapi.Doubt

// The doubts.
const (
	// OldCommentsFirst: Linear's lists of comments begin with the oldest.
	OldCommentsFirst Doubt = "old-comments-first"
	// LimitIs400: Linear's RATELIMITED comes with 400 and without Retry-After, not with 429.
	LimitIs400 Doubt = "limit-is-400"
	// FreshTimestamp: Linear's repeated deliveries have the time of the repeat, with a new signature. Without
	// it they equal the first delivery.
	FreshTimestamp Doubt = "fresh-timestamp"
	// NoCommentProperties: Jira Data Center keeps no properties of comments.
	NoCommentProperties Doubt = "no-comment-properties"
	// SignInIsPage: Azure DevOps answers a refused token with 203 and a page, not with 401.
	SignInIsPage Doubt = "sign-in-is-page"
)

// Doubts returns all doubts.
func Doubts() simapi.Doubts {
	return simapi.Doubts{OldCommentsFirst, LimitIs400, FreshTimestamp, NoCommentProperties, SignInIsPage}
}

// AccountSpec makes an account with a token.
type AccountSpec struct {
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
}

// Account is an account and its token.
type Account struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Token string `json:"token"`
}

// ProjectSpec makes a project, or a team.
type ProjectSpec struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// keyForm matches keys of projects; in Azure Boards the key is the name.
var keyForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 _-]{0,63}$`)

// Check returns an error for the first wrong field.
func (s ProjectSpec) Check() error {
	if !keyForm.MatchString(s.Key) {
		return errors.New("key: must begin with a letter and have letters, digits, spaces, _ and - only")
	}
	return nil
}

// IssueSpec makes an issue.
type IssueSpec struct {
	Project string `json:"project"`
	// Number is chosen by the tracker if it is 0.
	Number int    `json:"number,omitempty"`
	Type   string `json:"type,omitempty"`
	State  string `json:"state,omitempty"`
	// Done reports whether the tracker counts the state as done.
	Done   bool   `json:"done,omitempty"`
	Title  string `json:"title"`
	Text   string `json:"text,omitempty"`
	Parent string `json:"parent,omitempty"`
	// Fields are further fields by id.
	Fields map[string]string `json:"fields,omitempty"`
	// Hidden issues are for people only: accounts with a token do not see them.
	Hidden bool `json:"hidden,omitempty"`
}

// IssueChange changes the fields that are not nil. A change of Project moves the issue: it gets another key
// and keeps its id.
type IssueChange struct {
	Title   *string           `json:"title,omitempty"`
	Text    *string           `json:"text,omitempty"`
	State   *string           `json:"state,omitempty"`
	Done    *bool             `json:"done,omitempty"`
	Hidden  *bool             `json:"hidden,omitempty"`
	Project *string           `json:"project,omitempty"`
	Fields  map[string]string `json:"fields,omitempty"`
}

// Issue is an issue as people see it.
type Issue struct {
	Key      string    `json:"key"`
	ID       string    `json:"id"`
	URL      string    `json:"url"`
	Title    string    `json:"title"`
	State    string    `json:"state"`
	Text     string    `json:"text"`
	Comments []Comment `json:"comments"`
	Links    []Link    `json:"links"`
}

// Comment is a comment of an issue. Text has the tracker's own form.
type Comment struct {
	ID         string            `json:"id"`
	Account    string            `json:"account"` // id
	Author     string            `json:"author"`
	Text       string            `json:"text"`
	Properties map[string]string `json:"properties,omitempty"`
	CreatedUS  int64             `json:"createdUs"`
	EditedUS   int64             `json:"editedUs,omitempty"`
}

// CommentSpec makes a comment as an account.
type CommentSpec struct {
	Account string `json:"account"` // id
	Text    string `json:"text"`
}

// Link is a link of an issue.
type Link struct {
	ID    string `json:"id"` // the creator's id, or the tracker's own
	URL   string `json:"url"`
	Title string `json:"title"`
}

// HookSpec makes a webhook.
type HookSpec struct {
	URL string `json:"url"`
	// Secret signs the deliveries of Linear and Jira.
	Secret string `json:"secret,omitempty"`
	// User and Password are sent with Azure Boards' deliveries as Basic, Header and Value as a header.
	User     string `json:"user,omitempty"`
	Password string `json:"password,omitempty"`
	Header   string `json:"header,omitempty"`
	Value    string `json:"value,omitempty"`
}

// AppSpec registers an app for OAuth (Linear).
type AppSpec struct {
	Name     string `json:"name"`
	Redirect string `json:"redirect"`
}

// App is an app with its credentials.
type App struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	Account      string `json:"account"` // id of the account of its tokens
}

// Settings of the whole simulator.
type Settings struct {
	Doubts map[Doubt]bool `json:"doubts,omitempty"`
	// TokenSeconds is the life of OAuth access tokens; 0 means a day.
	TokenSeconds int `json:"tokenSeconds,omitempty"`
}

// Check returns an error for the first wrong field.
func (s Settings) Check() error {
	if s.TokenSeconds < 0 || s.TokenSeconds > 1e6 {
		return errors.New("tokenSeconds: must be between 0 and 1,000,000")
	}
	return nil
}
