package instance

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// A connection to a code host belongs to a tenant, but setup asks for the first tenant at its end. So the
// tenant is created with the connection, under the instance's name, and [Service.Finish] gives it its name
// and its admin. The ids are stored in a document of the instance, so that an interrupted setup can
// continue.

// firstRunObjects is that document.
type firstRunObjects struct {
	TenantID     string `json:"tenantId"`
	ConnectionID string `json:"connectionId,omitempty"`
}

// readFirstRun returns the document with its version; the zero value if it does not exist.
func (s *Service) readFirstRun(ctx context.Context) (m firstRunObjects, version int64, err error) {
	d, err := s.Store.InstanceDocument(ctx, store.DocumentSetup)
	if err != nil || d.Version == 0 {
		return firstRunObjects{}, 0, err
	}
	return m, d.Version, json.Unmarshal([]byte(d.Body), &m)
}

func (s *Service) storeFirstRun(ctx context.Context, m firstRunObjects, version int64) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.Store.PutInstanceDocument(ctx, store.DocumentSetup, string(body), version)
	return err
}

// lockFirstRun locks the first run in a transaction, so that it cannot end meanwhile. It returns [errs.NotFound] if
// setup is complete.
func (s *Service) lockFirstRun(ctx context.Context) error {
	st, err := s.Store.HoldSetup(ctx)
	if err == nil && st.CompletedUS != 0 {
		err = errs.Absent()
	}
	return err
}

// firstTenant returns the tenant of the first run, and creates it if needed. Concurrent calls create one.
func (s *Service) firstTenant(ctx context.Context) (out firstRunObjects, err error) {
	name := s.Live(ctx).Name
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockFirstRun(ctx); err != nil {
			return err
		}
		m, version, err := s.readFirstRun(ctx)
		if out = m; err != nil || m.TenantID != "" {
			return err
		}
		t, err := s.Store.CreateTenant(ctx, name)
		if err != nil {
			return err
		}
		out.TenantID = t.ID
		if err := s.Audit.Record(ctx, audit.Act{Action: "tenant.create",
			Target: audit.Target{Kind: "tenant", ID: t.ID, Name: t.Name}}); err != nil {
			return err
		}
		return s.storeFirstRun(ctx, out, version)
	})
	return out, err
}

// SaveFirst stores the connection of the first run: it replaces the connection with this id, or creates one
// if id is "". It must call note in its transaction.
type SaveFirst func(ctx context.Context, t domain.Tenant, id string, note func(ctx context.Context, id string) error) error

// ConnectFirst creates or changes the first run's connection to a code host, in the first tenant. It
// returns [errs.NotFound] if setup is complete.
func (s *Service) ConnectFirst(ctx context.Context, save SaveFirst) error {
	m, err := s.firstTenant(ctx)
	if err != nil {
		return err
	}
	return save(ctx, domain.Tenant{ID: m.TenantID}, m.ConnectionID, func(ctx context.Context, id string) error {
		if err := s.lockFirstRun(ctx); err != nil {
			return err
		}
		m, version, err := s.readFirstRun(ctx)
		if err != nil || m.ConnectionID == id {
			return err
		}
		m.ConnectionID = id
		return s.storeFirstRun(ctx, m, version)
	})
}

// FirstConnection is the connection that setup has created.
type FirstConnection struct {
	ID               string   `json:"id"`
	Kind             string   `json:"kind" doc:"As in provider connections"`
	Host             string   `json:"host" doc:"Name of the host's software"`
	BaseURL          string   `json:"baseUrl"`
	Owner            string   `json:"owner"`
	Username         string   `json:"username,omitempty"`
	AllRepositories  bool     `json:"allRepositories"`
	Repositories     []string `json:"repositories" doc:"Names, where not all are meant"`
	RegisterWebhooks bool     `json:"registerWebhooks"`
	State            string   `json:"state" enum:"pending,active,error" doc:"As the host said when it was asked last"`
	Message          string   `json:"message,omitempty" doc:"Reason for the state error, or a permission that the account of the token lacks"`
}

// firstConnection returns the connection, or nil if setup has not created one.
func (s *Service) firstConnection(ctx context.Context) (*FirstConnection, error) {
	m, _, err := s.readFirstRun(ctx)
	if err != nil || m.ConnectionID == "" {
		return nil, err
	}
	row, err := s.Store.ProviderConnection(ctx, domain.Tenant{ID: m.TenantID}, m.ConnectionID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil //nolint:nilnil // nil is the documented meaning
	}
	if err != nil {
		return nil, err
	}
	return &FirstConnection{ID: row.ID, Kind: row.Kind, Host: codehost.NameOf(domain.ConnectionKind(row.Kind)), BaseURL: row.BaseURL,
		Owner:           row.Owner,
		Username:        row.Username,
		AllRepositories: row.AllRepositories, Repositories: append([]string{}, store.FromJSON[[]string](row.Repositories)...),
		RegisterWebhooks: row.RegisterWebhooks,
		State:            row.State, Message: row.Message}, nil
}

// tenantToFinish names the tenant of the first run, or creates it, in the transaction that ends setup.
func (s *Service) tenantToFinish(ctx context.Context, name string) (store.Tenant, error) {
	m, _, err := s.readFirstRun(ctx)
	if err != nil {
		return store.Tenant{}, err
	}
	action := "tenant.update"
	t := store.Tenant{ID: m.TenantID, Name: name}
	if m.TenantID != "" {
		err = s.Store.RenameTenant(ctx, domain.Tenant{ID: m.TenantID}, name)
	} else {
		action = "tenant.create"
		t, err = s.Store.CreateTenant(ctx, name)
	}
	if err != nil {
		return t, err
	}
	return t, s.Audit.Record(ctx, audit.Act{Action: action, Target: audit.Target{Kind: "tenant", ID: t.ID, Name: name}})
}
