package auth

import (
	"context"
	"net/url"
)

// Provider is one way to sign in, in GET /auth/providers.
type Provider struct {
	Kind        string `json:"kind" enum:"codehost,oidc"`
	Slug        string `json:"slug" doc:"Id of the app, or slug of the identity provider"`
	DisplayName string `json:"displayName"`
	LoginURL    string `json:"loginUrl" doc:"Path on this origin that a browser is sent to; it takes the parameter return"`
}

// Providers lists the public ways to sign in: apps of code hosts first, then the listed identity providers.
func (s *Service) Providers(ctx context.Context) ([]Provider, error) {
	out := []Provider{}
	for _, list := range []func(context.Context) ([]Provider, error){s.hostProviders, s.listedProviders} {
		some, err := list(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// hostProviders lists the apps through which people can sign in.
func (s *Service) hostProviders(ctx context.Context) ([]Provider, error) {
	apps, err := s.Store.Apps(ctx)
	if err != nil {
		return nil, err
	}
	var out []Provider
	for _, a := range apps {
		if a.ClientID == "" || a.ClientSecret == nil {
			continue
		}
		out = append(out, Provider{Kind: "codehost", Slug: a.ID, DisplayName: hostName(a.WebURL), LoginURL: "/auth/codehost/login?app=" + a.ID})
	}
	return out, nil
}

// hostName returns a host's name for people.
func hostName(webURL string) string {
	u, err := url.Parse(webURL)
	if err != nil || u.Host == "" || u.Host == "github.com" {
		return "GitHub"
	}
	return "GitHub (" + u.Host + ")"
}
