package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/instance"
)

func instancePageOf(p Page) (instance.Page, error) {
	before, limit, err := p.window()
	return instance.Page{Before: before, Limit: limit}, err
}

// InApp is the path of a code-host app's routes.
type InApp struct {
	ID string `path:"providerAppId"`
}

func (s *server) apps(ctx context.Context, in *struct{ Page }) (*Listed[instance.App], error) {
	p, err := instancePageOf(in.Page)
	if err != nil {
		return nil, err
	}
	rows, err := s.Instance.Apps(ctx, p)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(a instance.App) (time.Time, string) { return a.CreatedAt, a.ID }), nil
}

func (s *server) registerApp(ctx context.Context, in *struct{ Body instance.GitHubAppRegister }) (*Made[instance.App], error) {
	a, err := s.Instance.Register(ctx, in.Body, false)
	if err != nil {
		return nil, err
	}
	return &Made[instance.App]{Location: inst + "/codehost-apps/" + a.ID, ETag: etag(a.Version), Body: a}, nil
}

func (s *server) updateApp(ctx context.Context, in *struct {
	InApp
	Guard
	Body instance.GitHubAppUpdate
}) (*Shown[instance.App], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	a, err := s.Instance.UpdateApp(ctx, in.ID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[instance.App]{ETag: etag(a.Version), Body: a}, nil
}

func (s *server) deleteApp(ctx context.Context, in *InApp) (*Gone, error) {
	return nil, s.Instance.DeleteApp(ctx, in.ID)
}

func (s *server) testApp(ctx context.Context, in *InApp) (*Read[instance.AppChecks], error) {
	return read(s.Instance.TestApp(ctx, in.ID))
}

func (s *server) instanceSettings(ctx context.Context, _ *NoInput) (*Shown[instance.InstanceSettings], error) {
	v, err := s.Instance.Settings(ctx)
	return &Shown[instance.InstanceSettings]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putInstanceSettings(ctx context.Context, in *struct {
	Guard
	Body instance.InstanceSettingsUpdate
}) (*Shown[instance.InstanceSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Instance.UpdateSettings(ctx, version, in.Body)
	return &Shown[instance.InstanceSettings]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) telemetrySetting(ctx context.Context, _ *NoInput) (*Shown[instance.ProductTelemetry], error) {
	v, err := s.Instance.Telemetry(ctx)
	return &Shown[instance.ProductTelemetry]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putTelemetry(ctx context.Context, in *struct {
	Guard
	Body instance.ProductTelemetryUpdate
}) (*Shown[instance.ProductTelemetry], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Instance.UpdateTelemetry(ctx, version, in.Body)
	return &Shown[instance.ProductTelemetry]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) legalSignOff(ctx context.Context, _ *NoInput) (*Shown[instance.LegalSignOff], error) {
	v, err := s.Instance.LegalSignOff(ctx)
	return &Shown[instance.LegalSignOff]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) putLegalSignOff(ctx context.Context, in *struct {
	Guard
	Body instance.LegalSignOffUpdate
}) (*Shown[instance.LegalSignOff], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Instance.UpdateLegalSignOff(ctx, version, in.Body)
	return &Shown[instance.LegalSignOff]{ETag: etag(v.Version), Body: v}, err
}

func (s *server) setupState(ctx context.Context, _ *NoInput) (*Read[instance.SetupChecklist], error) {
	return read(s.Instance.Checklist(ctx))
}

func (s *server) instanceTenants(ctx context.Context, in *struct{ Page }) (*Listed[instance.Tenant], error) {
	p, err := instancePageOf(in.Page)
	if err != nil {
		return nil, err
	}
	rows, err := s.Instance.Tenants(ctx, p)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(t instance.Tenant) (time.Time, string) { return t.CreatedAt, t.ID }), nil
}

func (s *server) createInstanceTenant(ctx context.Context, in *struct{ Body instance.TenantCreate }) (*Made[instance.Tenant], error) {
	t, err := s.Instance.CreateTenant(ctx, callerFrom(ctx).user.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[instance.Tenant]{Location: inst + "/tenants", Body: t}, nil
}

func (s *server) joinTenant(ctx context.Context, in *struct {
	ID   string `path:"id"`
	Body instance.TenantJoin
}) (*Read[instance.Joined], error) {
	return read(s.Instance.Join(ctx, in.ID, callerFrom(ctx).user.ID, in.Body))
}

func (s *server) instanceInstallations(ctx context.Context, in *struct {
	Page
	State string `query:"state" enum:"unplaced,active,suspended,deleted" doc:"Absent: all"`
}) (*Listed[instance.Installation], error) {
	p, err := instancePageOf(in.Page)
	if err != nil {
		return nil, err
	}
	rows, err := s.Instance.Installations(ctx, in.State, p)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(i instance.Installation) (time.Time, string) { return i.CreatedAt, i.ID }), nil
}

func (s *server) placeInstallation(ctx context.Context, in *struct {
	ID   string `path:"installationId"`
	Body instance.InstallationPlace
}) (*Read[instance.PlacedInstallation], error) {
	return read(s.Instance.PlaceByHand(ctx, in.ID, in.Body))
}

func (s *server) tenantInstallations(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[instance.TenantInstallation], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Instance.TenantInstallations(ctx, callerFrom(ctx).tenant, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(i instance.TenantInstallation) (time.Time, string) { return i.CreatedAt, i.ID }), nil
}

func (s *server) beginInstall(ctx context.Context, in *struct {
	InTenant
	Body instance.InstallBegin
}) (*Read[instance.InstallStart], error) {
	c := callerFrom(ctx)
	return read(s.Instance.BeginInstall(ctx, c.tenant, c.user.ID, in.Body))
}
