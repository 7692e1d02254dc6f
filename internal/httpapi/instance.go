package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/setup"
)

func setupPageOf(p Page) (setup.Page, error) {
	before, limit, err := p.window()
	return setup.Page{Before: before, Limit: limit}, err
}

// InApp is the path of a code-host app's routes.
type InApp struct {
	ID string `path:"providerAppId"`
}

func (s *server) apps(ctx context.Context, in *struct{ Page }) (*Listed[setup.App], error) {
	p, err := setupPageOf(in.Page)
	if err != nil {
		return nil, err
	}
	rows, err := s.Setup.Apps(ctx, p)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(a setup.App) (time.Time, string) { return a.CreatedAt, a.ID }), nil
}

func (s *server) registerApp(ctx context.Context, in *struct{ Body setup.GitHubAppRegister }) (*Made[setup.App], error) {
	a, err := s.Setup.Register(ctx, in.Body, false)
	if err != nil {
		return nil, err
	}
	return &Made[setup.App]{Location: inst + "/codehost-apps/" + a.ID, ETag: etag(a.Version), Body: a}, nil
}

func (s *server) updateApp(ctx context.Context, in *struct {
	InApp
	Guard
	Body setup.GitHubAppUpdate
}) (*Shown[setup.App], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	a, err := s.Setup.UpdateApp(ctx, in.ID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[setup.App]{ETag: etag(a.Version), Body: a}, nil
}

func (s *server) deleteApp(ctx context.Context, in *InApp) (*Gone, error) {
	return nil, s.Setup.DeleteApp(ctx, in.ID)
}

func (s *server) testApp(ctx context.Context, in *InApp) (*struct{ Body setup.AppChecks }, error) {
	c, err := s.Setup.TestApp(ctx, in.ID)
	return &struct{ Body setup.AppChecks }{c}, err
}

func (s *server) instanceSettings(ctx context.Context, _ *NoInput) (*Shown[setup.InstanceSettings], error) {
	v, err := s.Setup.Settings(ctx)
	return &Shown[setup.InstanceSettings]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putInstanceSettings(ctx context.Context, in *struct {
	Guard
	Body setup.InstanceSettingsUpdate
}) (*Shown[setup.InstanceSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Setup.UpdateSettings(ctx, version, in.Body)
	return &Shown[setup.InstanceSettings]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) telemetrySetting(ctx context.Context, _ *NoInput) (*Shown[setup.ProductTelemetry], error) {
	v, err := s.Setup.Telemetry(ctx)
	return &Shown[setup.ProductTelemetry]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putTelemetry(ctx context.Context, in *struct {
	Guard
	Body setup.ProductTelemetryUpdate
}) (*Shown[setup.ProductTelemetry], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Setup.UpdateTelemetry(ctx, version, in.Body)
	return &Shown[setup.ProductTelemetry]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) legalSignOff(ctx context.Context, _ *NoInput) (*Shown[setup.LegalSignOff], error) {
	v, err := s.Setup.LegalSignOff(ctx)
	return &Shown[setup.LegalSignOff]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putLegalSignOff(ctx context.Context, in *struct {
	Guard
	Body setup.LegalSignOffUpdate
}) (*Shown[setup.LegalSignOff], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Setup.UpdateLegalSignOff(ctx, version, in.Body)
	return &Shown[setup.LegalSignOff]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) setupState(ctx context.Context, _ *NoInput) (*struct{ Body setup.SetupChecklist }, error) {
	v, err := s.Setup.Checklist(ctx)
	return &struct{ Body setup.SetupChecklist }{v}, err
}

func (s *server) instanceTenants(ctx context.Context, in *struct{ Page }) (*Listed[setup.Tenant], error) {
	p, err := setupPageOf(in.Page)
	if err != nil {
		return nil, err
	}
	rows, err := s.Setup.Tenants(ctx, p)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(t setup.Tenant) (time.Time, string) { return t.CreatedAt, t.ID }), nil
}

func (s *server) createInstanceTenant(ctx context.Context, in *struct{ Body setup.TenantCreate }) (*Made[setup.Tenant], error) {
	t, err := s.Setup.CreateTenant(ctx, from(ctx).user.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[setup.Tenant]{Location: inst + "/tenants", Body: t}, nil
}

func (s *server) joinTenant(ctx context.Context, in *struct {
	ID   string `path:"id"`
	Body setup.TenantJoin
}) (*struct{ Body setup.Joined }, error) {
	j, err := s.Setup.Join(ctx, in.ID, from(ctx).user.ID, in.Body)
	return &struct{ Body setup.Joined }{j}, err
}

func (s *server) instanceInstallations(ctx context.Context, in *struct {
	Page
	State string `query:"state" enum:"unplaced,active,suspended,deleted" doc:"Absent: all"`
}) (*Listed[setup.Installation], error) {
	p, err := setupPageOf(in.Page)
	if err != nil {
		return nil, err
	}
	rows, err := s.Setup.Installations(ctx, in.State, p)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(i setup.Installation) (time.Time, string) { return i.CreatedAt, i.ID }), nil
}

func (s *server) placeInstallation(ctx context.Context, in *struct {
	ID   string `path:"installationId"`
	Body setup.InstallationPlace
}) (*struct{ Body setup.Installation }, error) {
	i, err := s.Setup.PlaceByHand(ctx, in.ID, in.Body)
	return &struct{ Body setup.Installation }{i}, err
}

func (s *server) beginInstall(ctx context.Context, in *struct {
	InTenant
	Body setup.InstallBegin
}) (*struct{ Body setup.InstallStart }, error) {
	c := from(ctx)
	v, err := s.Setup.BeginInstall(ctx, c.tenant, c.user.ID, in.Body)
	return &struct{ Body setup.InstallStart }{v}, err
}
