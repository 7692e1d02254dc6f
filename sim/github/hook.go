package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/sim/host"
)

func (v view) hookConfig(a *app) obj {
	o := obj{"url": a.WebhookURL, "content_type": "json", "insecure_ssl": "0"}
	if a.WebhookSecret != "" {
		o["secret"] = "********"
	}
	return o
}

func getHookConfig(c *call) *reply {
	return ok(c.view().hookConfig(c.actor.app))
}

func patchHookConfig(c *call, in struct {
	URL    *string `json:"url"`
	Secret *string `json:"secret"`
}) *reply {
	host.Set(&c.actor.app.WebhookURL, in.URL)
	host.Set(&c.actor.app.WebhookSecret, in.Secret)
	c.wrote("hook_config", "update", c.actor.app.HookID, 0)
	return ok(c.view().hookConfig(c.actor.app))
}

func deliveryJSON(d host.Delivery) obj {
	o := obj{"id": d.ID, "guid": d.GUID, "delivered_at": d.Delivered.RFC3339(), "redelivery": d.Redelivery,
		"duration": float64(d.DurationMS) / 1000,
		"status":   d.Status, "status_code": d.StatusCode, "event": d.Event, "action": orNil(d.Action), "installation_id": nil,
		"repository_id": nil, "throttled_at": nil}
	if d.InstallationID != 0 {
		o["installation_id"] = d.InstallationID
	}
	if d.RepositoryID != 0 {
		o["repository_id"] = d.RepositoryID
	}
	return o
}

// listDeliveries is GET /app/hook/deliveries: newest first, paged by cursor.
func listDeliveries(c *call) *reply {
	size := c.paging().Size
	cursor, _ := strconv.ParseInt(c.Query.Get("cursor"), 10, 64)
	var list []obj
	var next int64
	for _, d := range slices.Backward(c.s.Sender.All()) {
		if d.Owner != c.actor.app.ID || !d.Done || (cursor != 0 && d.ID > cursor) {
			continue
		}
		if st := c.Query.Get("status"); (st == "success" && !d.Succeeded()) || (st == "failure" && d.Succeeded()) {
			continue
		}
		if len(list) == size {
			next = d.ID
			break
		}
		list = append(list, deliveryJSON(d))
	}
	if list == nil {
		list = []obj{}
	}
	rep := ok(list)
	if next != 0 {
		q := c.R.URL.Query()
		q.Set("cursor", strconv.FormatInt(next, 10))
		rep.Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.s.BaseURL(), c.R.URL.EscapedPath(), q.Encode()))
	}
	return rep
}

// delivery finds the delivery of the path, if it belongs to the calling app.
func (c *call) delivery() (host.Delivery, bool) {
	d, found := c.s.Sender.Find(c.Number("delivery_id"))
	return d, found && d.Owner == c.actor.app.ID
}

func getDelivery(c *call) *reply {
	d, found := c.delivery()
	if !found || !d.Done {
		return notFound()
	}
	o := deliveryJSON(d)
	o["url"] = d.URL
	o["request"] = obj{"headers": d.Headers, "payload": json.RawMessage(d.Payload)}
	o["response"] = obj{"headers": d.ResponseHeaders, "payload": orNil(d.Response)}
	return ok(o)
}

func redeliver(c *call) *reply {
	d, found := c.delivery()
	if !found {
		return notFound()
	}
	if err := c.s.Redeliver(c.Ctx, d.ID, 1); err != nil {
		return unprocessable(err.Error())
	}
	c.wrote("delivery", "create", d.ID, 0)
	return host.JSON(http.StatusAccepted, obj{})
}
