package bootstrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// model creates the model key or applies changed values to it. It routes the tiers if the tenant has no
// routing.
func (b *Bootstrap) model(ctx context.Context, known *applied, t domain.Tenant) error {
	m := b.Config.Model
	if m.Kind == "" {
		return nil
	}
	if m.Standard == "" {
		return errors.New("the bootstrap of a model needs ASSAY_BOOTSTRAP_MODEL_STANDARD, the name of a model")
	}
	id := credentialID + "_" + t.ID
	if err := b.credential(ctx, known, t, id); err != nil {
		return fmt.Errorf("store the model key: %w", err)
	}
	if _, _, ok, err := b.Store.Setting(ctx, t, "", store.SettingModelPolicy); err != nil || ok {
		return err
	}
	tier := func(model string) domain.TierRoute {
		if model == "" {
			model = m.Standard
		}
		return domain.TierRoute{CredentialID: id, Model: model}
	}
	body, err := json.Marshal(domain.ModelPolicy{Tiers: map[string]domain.TierRoute{"fast": tier(m.Fast), "standard": tier(m.Standard),
		"strong": tier(m.Strong)}})
	if err != nil {
		return err
	}
	return b.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		return audit.Act{Tenant: t, Action: "llm-policy.update", Target: audit.Target{Kind: "llm-policy", ID: t.ID}},
			b.Store.PutSetting(ctx, t, "", store.SettingModelPolicy, string(body))
	})
}

// credential stores the provider's key and address.
func (b *Bootstrap) credential(ctx context.Context, known *applied, t domain.Tenant, id string) error {
	m := b.Config.Model
	row, err := b.Store.Credential(ctx, t, id)
	missing := errs.Is(err, errs.NotFound)
	if err != nil && !missing {
		return err
	}
	if !missing && row.Kind != m.Kind {
		return errors.New("the stored key is of another kind of provider than ASSAY_BOOTSTRAP_MODEL_KIND: delete that key, or set the kind back")
	}
	if missing {
		row = store.Credential{ID: id, Name: "bootstrap", Kind: m.Kind}
	}
	newAddress := known.wants("model.baseUrl", m.BaseURL, row.BaseURL != "")
	if newAddress {
		row.BaseURL = m.BaseURL
	}
	newKey := known.wants("model.apiKey", m.APIKey.Reveal(), len(row.APIKey) > 0)
	if newKey {
		if row.APIKey, err = b.Keyring.SealSecret(ctx, connect.CredentialScope(t, id), m.APIKey); err != nil {
			return err
		}
	}
	if !missing && !newAddress && !newKey {
		return nil
	}
	row.BlockedUntilUS = 0
	return b.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		save := b.Store.CreateCredential
		if !missing {
			save = func(ctx context.Context, t domain.Tenant, c store.Credential) (store.Credential, error) {
				return b.Store.UpdateCredential(ctx, t, c, newKey)
			}
		}
		if _, err := save(ctx, t, row); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "llm-credential.save", Target: audit.Target{Kind: "llm-credential", ID: id, Name: row.Name},
			Note: "with its key"}, known.keep(ctx)
	})
}
