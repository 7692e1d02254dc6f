package tracking

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/patch"
)

// Offered returns the hosts that can be connected, in display order.
func Offered() (out []codehost.Profile) {
	for _, p := range codehost.Profiles() {
		if providerOf(string(p.Kind)).kind != "" {
			out = append(out, p)
		}
	}
	return out
}

// PutProvider creates or replaces a connection from a complete description with its token. It replaces the
// connection with this id, and creates one if id is "" or no longer exists. An absent name means the name
// of the host's software, or the present name of an existing connection. Errors are those of
// [Service.CreateProvider] and [Service.UpdateProvider].
func (s *Service) PutProvider(ctx context.Context, t domain.Tenant, id string, in ProviderConnectionCreate,
	also ...Also) (ProviderConnection, error) {
	if id == "" {
		if in.Name == "" {
			in.Name = codehost.NameOf(domain.ConnectionKind(in.Kind))
		}
		return s.CreateProvider(ctx, t, in, also...)
	}
	change := ProviderConnectionUpdate{Kind: patch.Of(in.Kind), Owner: patch.Of(in.Owner), Token: patch.Of(in.Token),
		Repositories: patch.Of(in.Repositories), RegisterWebhooks: patch.Of(in.RegisterWebhooks)}
	if in.Name != "" {
		change.Name = patch.Of(in.Name)
	}
	if in.BaseURL != "" {
		change.BaseURL = patch.Of(in.BaseURL)
	}
	if in.Enabled != nil {
		change.Enabled = patch.Of(*in.Enabled)
	}
	change.Username = patch.To(in.Username)
	r, err := s.UpdateProvider(ctx, t, id, 0, change, also...)
	if errs.Is(err, errs.NotFound) {
		return s.PutProvider(ctx, t, "", in, also...)
	}
	return r, err
}
