const place = "assay-invitation";

/** The path of the page of an invitation, as in links of the service. */
export const invitationPath = "/invitation";

let held = ""; // for browsers that keep nothing

/**
 * Moves the token of an invitation from the address to this tab's storage, where it outlives the sign-in. Call it before the
 * router reads the address: the address of the sign-in page must not contain the token.
 */
export function takeInvitation(): void {
  if (location.pathname !== invitationPath || location.hash.length < 2) return;
  held = location.hash.slice(1);
  try {
    sessionStorage.setItem(place, held);
  } catch {
    // Then the link must be opened again after the sign-in.
  }
  history.replaceState(history.state, "", invitationPath);
}

/** The token of the invitation that was opened in this tab; "" without one. */
export function heldInvitation(): string {
  try {
    return sessionStorage.getItem(place) ?? held;
  } catch {
    return held;
  }
}

/** Forgets the token, because the invitation is accepted or over. */
export function dropInvitation(): void {
  held = "";
  try {
    sessionStorage.removeItem(place);
  } catch {
    // Nothing was kept.
  }
}
