package simapi

// CheckRun is a check run.
type CheckRun struct {
	ID         int64  `json:"id"`
	App        string `json:"app"`
	Name       string `json:"name"`
	HeadSHA    string `json:"headSha"`
	ExternalID string `json:"externalId"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	Title      string `json:"title"`
	Summary    string `json:"summary"`
	// Updates counts the PATCH requests that changed it.
	Updates     int `json:"updates"`
	Annotations int `json:"annotations"`
}

// Settings of the whole simulator.
type Settings struct {
	// ClockOffsetSeconds shifts the Date header and the dates of rate-limit answers.
	ClockOffsetSeconds int64 `json:"clockOffsetSeconds"`
	// TokenClockOffsetSeconds shifts the clock for checking JWTs and tokens, so that tokens expire early.
	TokenClockOffsetSeconds int64 `json:"tokenClockOffsetSeconds"`
	// PrimaryLimit is the number of requests per hour and installation; 0 means 5000, announced but not enforced.
	PrimaryLimit int `json:"primaryLimit"`
	// WritesPerMinute is the enforced secondary limit on content writes; 0 enforces none.
	WritesPerMinute int `json:"writesPerMinute"`
	// SignInAs is the login that signs in without the page of choices.
	SignInAs string `json:"signInAs,omitempty"`
	// DenySignIn refuses every sign-in, like a person who cancels.
	DenySignIn bool `json:"denySignIn,omitempty"`
}
