package browser

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// withPushService gives pages a push service, because Chromium without a key of Google's has none. Its
// subscriptions look real and have a new key. The worker, its registration and the notifications are
// the browser's.
const withPushService = `(() => {
	let has = null;
	const code = bytes => btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
	PushManager.prototype.getSubscription = async () => has;
	PushManager.prototype.subscribe = async ({applicationServerKey, userVisibleOnly}) => {
		if (!userVisibleOnly || applicationServerKey.byteLength !== 65) throw new DOMException("refused", "AbortError");
		const pair = await crypto.subtle.generateKey({name: "ECDH", namedCurve: "P-256"}, true, ["deriveBits"]);
		const p256dh = code(await crypto.subtle.exportKey("raw", pair.publicKey)), auth = code(crypto.getRandomValues(new Uint8Array(16)));
		has = {options: {applicationServerKey: applicationServerKey.buffer}, toJSON: () => ({endpoint: "https://fcm.googleapis.com/fcm/send/browser", keys: {p256dh, auth}}), unsubscribe: async () => { has = null; return true; }};
		return has;
	};
})()`

// registration returns the id of the registration of the profile's service worker, once the
// worker runs.
func (p *page) registration() string {
	p.t.Helper()
	found := make(chan string, 1)
	p.listen(p.session, func(m message) {
		p.heard(m)
		if m.Method != "ServiceWorker.workerVersionUpdated" {
			return
		}
		var v struct {
			Versions []struct{ RegistrationID, Status, ScriptURL string }
		}
		_ = json.Unmarshal(m.Params, &v) // it is of this kind
		for _, version := range v.Versions {
			if version.Status == "activated" {
				select {
				case found <- version.RegistrationID:
				default: // the id is already known
				}
			}
		}
	})
	p.do("ServiceWorker.enable", nil, nil)
	return soonest(p.t, found, "no service worker runs")
}

// displayed returns a channel that gets a value for each notification that the browser displays from
// now on (Chrome DevTools Protocol, BackgroundService).
func (p *page) displayed() <-chan struct{} {
	p.t.Helper()
	told := make(chan struct{}, 1)
	p.listen(p.session, func(m message) {
		p.heard(m)
		var v struct {
			Event struct{ Service, EventName string } `json:"backgroundServiceEvent"`
		}
		if m.Method == "BackgroundService.backgroundServiceEventReceived" && json.Unmarshal(m.Params, &v) == nil && v.Event.EventName == "Notification displayed" {
			select {
			case told <- struct{}{}:
			default: // the last value was not read yet
			}
		}
	})
	p.do("BackgroundService.startObserving", map[string]any{"service": "notifications"}, nil)
	p.do("BackgroundService.setRecording", map[string]any{"service": "notifications", "shouldRecord": true}, nil)
	return told
}

// soonest returns the next value of a channel, and fails the test if there is none in time.
func soonest[T any](t testing.TB, from <-chan T, otherwise string) (out T) {
	t.Helper()
	select {
	case out = <-from:
	case <-time.After(patience):
		t.Fatal(otherwise)
	}
	return out
}

// Notifications of the person's browser are turned on, limited to fewer events and not sent at night,
// shown by the service worker while the page is in the background, and turned off.
func TestNotificationsInABrowser(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	base := o.base
	p := whole.newProfile(t).tab()
	p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": withPushService}, nil)
	p.do("Browser.grantPermissions", map[string]any{"browserContextId": p.id, "origin": base, "permissions": []string{"notifications"}}, nil)
	p.signIn(o.links[ada])
	p.ready()
	tenant := p.tenant()
	at, section := base+"/t/"+tenant+"/me", "document.querySelector('[aria-labelledby=this-browser]')"
	list := `fetch("/api/me/tenants/` + tenant + `/push-subscriptions").then(r => r.json()).then(l => l.items)`

	p.goTo(at)
	p.until(section)
	p.button("Turn on")
	p.until(section + "?.innerText.includes('Turn off')")
	var there []struct {
		Host, Label, State string
		Topics             []string
		QuietHours         *struct{ From, To, TimeZone string }
	}
	must(t, p.run(list, &there))
	if len(there) != 1 || there[0].Host != "fcm.googleapis.com" || there[0].State != "active" || !strings.Contains(there[0].Label, "Linux") {
		t.Fatalf("the service knows %+v", there)
	}
	p.goTo(at)
	p.until(section + "?.innerText.includes('Turn off')") // the subscription is remembered

	p.button("Change the events of " + there[0].Label)
	p.until("document.querySelector('[role=dialog] input[type=checkbox][value=\"budget.threshold\"]')")
	p.axe("the events of a browser") // which waits until it has come to rest
	p.click("[role=dialog] input[type=checkbox][value=\"budget.threshold\"]")
	p.until("!document.querySelector('[role=dialog] input[type=checkbox][value=\"budget.threshold\"]').checked")
	must(t, p.run(`[...document.querySelectorAll("[role=dialog] [role=switch]")].at(-1).click()`, nil)) // quiet hours
	p.until("document.querySelector('[role=dialog] input[type=time]')")
	p.axe("quiet hours")
	p.button("Save")
	p.until("!document.querySelector('[role=dialog]')")
	must(t, p.run(list, &there))
	if q := there[0].QuietHours; q == nil || q.From != "19:00" || q.To != "08:00" || strings.Contains(strings.Join(there[0].Topics, " "), "budget.threshold") {
		t.Errorf("kept is %+v", there[0])
	}

	id := p.registration()
	displayed := p.displayed()
	p.do("ServiceWorker.deliverPushMessage", map[string]any{"origin": base, "registrationId": id,
		"data": `{"kind":"review.failed","eventId":"evt_1","title":"A review could not be finished","body":"acme/storefront#1","url":"` + base + "/t/" + tenant + `/runs"}`}, nil)
	// If Chromium is asked before the notification is displayed, it treats the notification as closed
	// and forgets it.
	soonest(t, displayed, "the browser displays nothing")
	var shown string
	must(t, p.run(`navigator.serviceWorker.getRegistration("/assets/console/push.js").then(r => r.getNotifications()).then(n => n.map(n => [n.title, n.body, n.tag, n.data].join("|")).join("\n"))`, &shown))
	testkit.Equal(t, "the notification", shown, "A review could not be finished|acme/storefront#1|evt_1|"+base+"/t/"+tenant+"/runs")

	p.button("Turn off")
	p.until(section + "?.innerText.includes('Turn on')")
	must(t, p.run(list, &there))
	if len(there) != 0 {
		t.Errorf("the service still knows %+v", there)
	}
	p.do("Browser.setPermission", map[string]any{"browserContextId": p.id, "origin": base, "permission": map[string]any{"name": "notifications"}, "setting": "denied"}, nil)
	p.goTo(at)
	p.until(section + "?.innerText.includes('blocked')")
	p.has("a person who has blocked them is not asked", "!"+section+".querySelector('button')")
	p.clean(base, base)
}

// A person's preferences about review requests are stored. The page says that they have no effect yet.
func TestBeingAskedToReviewInABrowser(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	base := o.base
	p := newTab(t)
	p.signIn(o.links[ada])
	p.ready()
	tenant := p.tenant()
	at := base + "/t/" + tenant + "/me"
	section := "document.querySelector('section[aria-labelledby=reviewing]')"
	p.goTo(at)
	p.until(section + "?.innerText.includes('does not suggest reviewers yet')")
	p.until(section + ".querySelector('textarea')")
	p.button("Add hours")
	p.button("Add hours")
	p.fill("section[aria-labelledby=reviewing] textarea", "internal/**\n[")
	p.inspect("being asked to review")
	p.axe("being asked to review")
	p.button("Save")
	p.until(section + ".querySelector('textarea[aria-invalid=true]')") // an invalid pattern
	p.fill("section[aria-labelledby=reviewing] textarea", "internal/**")
	p.button("Save")
	p.until("document.body.innerText.includes('Saved')")
	p.goTo(at)
	p.until(section + "?.querySelector('textarea')?.value === 'internal/**' && " + section + ".querySelectorAll('select').length === 3") // two for the days, one for the kinds

	for n, day := range []string{"2035-03-01T09:00", "2035-03-08T09:00"} {
		must(t, p.run(`((e, v) => { Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(e, v); e.dispatchEvent(new Event("input", {bubbles: true})); })(`+section+`.querySelectorAll("input[type=datetime-local]")[`+string(rune('0'+n))+`], `+quote(day)+`)`, nil))
	}
	p.button("Add")
	p.until(section + ".querySelectorAll('tbody tr').length === 1")
	p.axe("a time of absence")
	must(t, p.run(section+".querySelector('tbody button').click()", nil))
	p.until(section + "?.innerText.includes('No time is entered')")
	p.clean(base, base, "422 /api/me/tenants/"+tenant+"/assignment")
}
