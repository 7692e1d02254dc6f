import React from "react";
import { format } from "./format";

const size = 12;

export const Card = ({ name, price, tags }) => {
  const label = format(price, "EUR");
  const style = {
    fontSize: size,
    color: "black",
  };
  return (
    <div className="card">
      <b style={style}>{name}</b>
      <span>{label}</span>
      {tags.map((t) => (
        <i key={t}>{t}</i>
      ))}
    </div>
  );
};
