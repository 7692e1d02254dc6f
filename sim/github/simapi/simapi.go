// Package simapi holds the types of the simulated GitHub's control interface (paths under /_sim): apps and
// installations, check runs, and settings. The types that all simulated hosts share are in sim/host/simapi and
// have the same names here. It holds no behaviour beyond checks of values.
package simapi

// AppSpec registers a GitHub App.
type AppSpec struct {
	// ID is the app's id; 0 means the next free one.
	ID int64 `json:"id,omitempty"`
	// Slug is the app's name in addresses; its bot user is "<slug>[bot]".
	Slug string `json:"slug"`
	// Name is the display name; empty means Slug.
	Name string `json:"name,omitempty"`
	// Owner is the account that owns the app. A missing one is created as an organisation. Empty means
	// "app-owner".
	Owner string `json:"owner,omitempty"`
	// PublicKeyPEM is the RSA public key (PKIX or PKCS#1 PEM, not a certificate) for checking the app's JWTs.
	// If it is empty, a key pair is generated and its private key returned once.
	PublicKeyPEM string `json:"publicKeyPem,omitempty"`
	// WebhookURL gets the deliveries; empty means that deliveries are neither sent nor recorded.
	WebhookURL string `json:"webhookUrl,omitempty"`
	// WebhookSecret signs deliveries; empty leaves them unsigned.
	WebhookSecret string `json:"webhookSecret,omitempty"`
	// Permissions are the requested permissions; empty means DefaultPermissions.
	Permissions map[string]string `json:"permissions,omitempty"`
	// Events are the subscribed webhook events; empty means DefaultEvents.
	Events []string `json:"events,omitempty"`
	// ClientSecret is for signing people in; empty makes a random one.
	ClientSecret string `json:"clientSecret,omitempty"`
	// CallbackURL is the address to which browsers return; empty allows every address.
	CallbackURL string `json:"callbackUrl,omitempty"`
	// SetupURL is the address for browsers after an installation; empty shows a page instead.
	SetupURL string `json:"setupUrl,omitempty"`
	// Public lets the installation page install the app on accounts other than the owner's.
	Public bool `json:"public,omitempty"`
}

// DefaultPermissions returns the permissions that a reviewing app requests.
func DefaultPermissions() map[string]string {
	return map[string]string{"metadata": "read", "contents": "read", "pull_requests": "write", "checks": "write",
		"statuses": "write", "issues": "write", "actions": "read", "members": "read"}
}

// DefaultEvents returns the events that a reviewing app subscribes to.
func DefaultEvents() []string {
	return []string{"pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread",
		"issue_comment", "push", "status", "check_run", "check_suite", "workflow_run", "workflow_job", "repository", "member",
		"membership", "organization", "team"}
}

// App is a registered app.
type App struct {
	ID            int64  `json:"id"`
	Slug          string `json:"slug"`
	ClientID      string `json:"clientId"`
	BotLogin      string `json:"botLogin"`
	BotID         int64  `json:"botId"`
	HookID        int64  `json:"hookId"`
	PrivateKeyPEM string `json:"privateKeyPem,omitempty"`
	ClientSecret  string `json:"clientSecret,omitempty"`
}

// AppUpdate changes a registered app; nil fields stay.
type AppUpdate struct {
	WebhookURL    *string           `json:"webhookUrl,omitempty"`
	WebhookSecret *string           `json:"webhookSecret,omitempty"`
	Permissions   map[string]string `json:"permissions,omitempty"`
	Events        []string          `json:"events,omitempty"`
}

// InstallSpec installs an app on an account.
type InstallSpec struct {
	AppID   int64  `json:"appId"`
	Account string `json:"account"`
	// Repositories are full or short names; empty means all, also future ones.
	Repositories []string `json:"repositories,omitempty"`
	// Permissions override those of the app, as for an installation that has not accepted newer ones.
	Permissions map[string]string `json:"permissions,omitempty"`
}

// Installation is an app on an account.
type Installation struct {
	ID      int64  `json:"id"`
	AppID   int64  `json:"appId"`
	Account string `json:"account"`
}

// InstallationUpdate changes an installation.
type InstallationUpdate struct {
	// Suspend suspends (true) or resumes (false).
	Suspend *bool `json:"suspend,omitempty"`
	// Add and Remove change the selected repositories.
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
	// Permissions replace the granted ones.
	Permissions map[string]string `json:"permissions,omitempty"`
}

// RerequestSpec presses "Re-run".
type RerequestSpec struct {
	// CheckRun is the id of a completed check run.
	CheckRun int64 `json:"checkRun"`
	// All re-runs all checks of the head: the app gets a check_suite event.
	All bool `json:"all,omitempty"`
	// Actor is the login that presses it.
	Actor string `json:"actor"`
}

// RepoUpdate changes a repository.
type RepoUpdate struct {
	// Collaborators maps logins to roles, or to "" to remove one. Others stay.
	Collaborators map[string]string `json:"collaborators,omitempty"`
	// Protect lists branches that accept changes by pull requests only from now on.
	Protect []string `json:"protect,omitempty"`
}
