package simapi

// SignIn configures the sign-in at a simulated host that is an OpenID Connect provider.
type SignIn struct {
	// SignInAs is the login that signs in without the page of choices.
	SignInAs string `json:"signInAs,omitempty"`
	// DenySignIn refuses every sign-in, like a person who cancels.
	DenySignIn bool `json:"denySignIn,omitempty"`
}

// ClientSpec registers an application that signs people in.
type ClientSpec struct {
	Name         string   `json:"name"`
	RedirectURIs []string `json:"redirectUris"`
}

// Client is a registered application.
type Client struct {
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
}
