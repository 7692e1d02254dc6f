package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/notify"
)

func (s *server) channels(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[notify.NotificationChannel], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Notify.Channels(ctx, callerFrom(ctx).tenant, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(c notify.NotificationChannel) (time.Time, string) { return c.CreatedAt, c.ID }), nil
}

func (s *server) createChannel(ctx context.Context, in *struct {
	InTenant
	Body notify.NotificationChannelCreate
}) (*Made[notify.NotificationChannel], error) {
	c, err := s.Notify.CreateChannel(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[notify.NotificationChannel]{Location: in.path() + "/notification-channels/" + c.ID, ETag: etag(c.Version), Body: c}, nil
}

func (s *server) updateChannel(ctx context.Context, in *struct {
	InTenant
	Guard
	ChannelID string `path:"channelId"`
	Body      notify.NotificationChannelUpdate
}) (*Shown[notify.NotificationChannel], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	c, err := s.Notify.UpdateChannel(ctx, callerFrom(ctx).tenant, in.ChannelID, version, in.Body)
	if err != nil {
		return nil, err
	}
	return &Shown[notify.NotificationChannel]{ETag: etag(c.Version), Body: c}, nil
}

func (s *server) deleteChannel(ctx context.Context, in *struct {
	InTenant
	ChannelID string `path:"channelId"`
}) (*Gone, error) {
	return nil, s.Notify.DeleteChannel(ctx, callerFrom(ctx).tenant, in.ChannelID)
}

func (s *server) channelDeliveries(ctx context.Context, in *struct {
	InTenant
	Page
	ChannelID string `path:"channelId"`
}) (*Listed[notify.ChannelDelivery], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Notify.Deliveries(ctx, callerFrom(ctx).tenant, in.ChannelID, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(d notify.ChannelDelivery) (time.Time, string) { return d.CreatedAt, d.ID }), nil
}

func (s *server) rotateChannelSecret(ctx context.Context, in *struct {
	InTenant
	ChannelID string `path:"channelId"`
}) (*Read[notify.ChannelSecret], error) {
	made, err := s.Notify.RotateSecret(ctx, callerFrom(ctx).tenant, in.ChannelID)
	if err != nil {
		return nil, err
	}
	return &Read[notify.ChannelSecret]{made}, nil
}

func (s *server) testChannel(ctx context.Context, in *struct {
	InTenant
	ChannelID string `path:"channelId"`
}) (*Read[notify.ChannelChecks], error) {
	found, err := s.Notify.Test(ctx, callerFrom(ctx).tenant, in.ChannelID)
	if err != nil {
		return nil, err
	}
	return &Read[notify.ChannelChecks]{found}, nil
}
